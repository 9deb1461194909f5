/** Detects within seconds whether the database answers, so that no caller waits longer. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type HandsetError, storeAway } from '../../errors.ts';

export interface HealthTimes {
  /** After this silence the database is probed while a caller waits. */
  readonly silentMs: number;
  readonly probeMs: number;
  readonly againMs: number;
}

export const healthTimes: HealthTimes = { silentMs: 1_500, probeMs: 2_500, againMs: 250 };

/** A timer this late means the process was paused; it says nothing about the database. */
const heldUpMs = 250;

export interface Asking {
  /** The caller was told of a failure, so it must not commit. */
  over: boolean;
  /** The outcome is unknown, so the caller is not told of a failure. */
  committing: boolean;
}

interface Waiting {
  readonly since: number;
  readonly unreachableMs: number;
  readonly giveUp: (error: HandsetError) => void;
}

export class DatabaseHealth {
  readonly #times: HealthTimes;
  readonly #probe: () => Promise<unknown>;
  readonly #waiting = new Set<Waiting>();
  #asking = 0;
  #quietSince = 0;
  #heardAt = 0;
  #away: HandsetError | null = null;
  #timer: NodeJS.Timeout | null = null;
  #sweeper: NodeJS.Timeout | null = null;
  #looking = false;
  #closed = false;

  constructor(probe: () => Promise<unknown>, times: HealthTimes = healthTimes) {
    this.#probe = probe;
    this.#times = times;
  }

  get away(): HandsetError | null {
    return this.#away;
  }

  heard(): void {
    this.#heardAt = performance.now();
    this.#quietSince = this.#heardAt;
    if (this.#away !== null) this.#back();
  }

  suspect(): void {
    if (!this.#looking && !this.#closed) void this.#look();
  }

  async ask<T>(unreachableMs: number, work: (asking: Asking) => Promise<T>): Promise<T> {
    if (this.#asking === 0 && this.#away === null) this.#quietSince = performance.now();
    this.#asking += 1;
    this.#listen();
    try {
      return await this.#unlessAway(unreachableMs, work);
    } finally {
      this.#asking -= 1;
    }
  }

  /** Calls `giveUp` once after `unreachableMs`. Returns a function that cancels. */
  watch(unreachableMs: number, giveUp: (error: HandsetError) => void): () => void {
    const waiting: Waiting = {
      since: performance.now(),
      unreachableMs,
      giveUp: (error) => {
        this.#waiting.delete(waiting);
        giveUp(error);
      },
    };
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }

  close(): void {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
  }

  #unlessAway<T>(unreachableMs: number, work: (asking: Asking) => Promise<T>): Promise<T> {
    if (this.#away !== null && unreachableMs === 0) return Promise.reject(this.#away);
    return new Promise<T>((resolve, reject) => {
      const asking = { over: false, committing: false };
      const giveUp = (error: HandsetError): void => {
        if (asking.committing) return;
        asking.over = true;
        this.#waiting.delete(waiting);
        reject(error);
      };
      const waiting = { since: performance.now(), unreachableMs, giveUp };
      this.#waiting.add(waiting);
      work(asking)
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(waiting));
    });
  }

  #listen(): void {
    if (this.#timer !== null || this.#closed) return;
    const { silentMs } = this.#times;
    const due = performance.now() + silentMs / 3;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (this.#asking === 0) return;
      const now = performance.now();
      if (now - due > heldUpMs) this.#quietSince = now;
      if (now - this.#quietSince >= silentMs) this.suspect();
      this.#listen();
    }, silentMs / 3).unref();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    const { probeMs, againMs } = this.#times;
    while (!this.#closed) {
      const began = performance.now();
      const failure = await this.#failureOf(probeMs);
      if (failure === null) this.heard();
      // Another caller may have got an answer on an open connection.
      if (this.#heardAt >= began) break;
      if (failure === null || performance.now() - began - probeMs > heldUpMs) continue;
      this.#gone(failure.cause);
      await sleep(againMs, undefined, { ref: false });
    }
    this.#looking = false;
  }

  async #failureOf(probeMs: number): Promise<{ readonly cause: unknown } | null> {
    const late = new AbortController();
    try {
      await Promise.race([
        this.#probe(),
        sleep(probeMs, null, { ref: false, signal: late.signal }).then(() => {
          throw new Error('the database does not answer');
        }),
      ]);
      return null;
    } catch (cause) {
      return { cause };
    } finally {
      late.abort();
    }
  }

  #gone(cause: unknown): void {
    this.#away = storeAway(cause);
    if (!this.#closed) this.#sweeper ??= setInterval(() => this.#sweep(), this.#times.againMs).unref();
    this.#sweep();
  }

  #back(): void {
    this.#away = null;
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
  }

  #sweep(): void {
    const away = this.#away;
    if (away === null) return;
    const now = performance.now();
    for (const { since, unreachableMs, giveUp } of this.#waiting) {
      if (now - Math.max(since, this.#quietSince) >= unreachableMs) giveUp(away);
    }
  }
}
