/** Writes outcomes to the outbox, many in one transaction: what comes while one is written goes with the next. */
import type { Clock } from '../domain/clock.ts';
import type { AttemptResult } from '../domain/delivery.ts';
import type { Outbox } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';

const batchSize = 200;
const retryMs = 1000;

export interface RecorderParts {
  readonly outbox: Pick<Outbox, 'record' | 'bringForward'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a transaction is asked for: a claim that follows at once can share its commit. */
  readonly writing: () => void;
  /** Called after each transaction with the number of deliveries it changed. */
  readonly written: (count: number) => void;
}

export class Recorder {
  readonly #parts: RecorderParts;
  readonly #queue: AttemptResult[] = [];
  #writing: Promise<void> | null = null;
  #ending = false;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Outcomes that are not in the store yet. */
  get unwritten(): number {
    return this.#queue.length;
  }

  add(result: AttemptResult): void {
    if (this.#ending) return;
    this.#queue.push(result);
    this.#writing ??= this.#write();
  }

  /** Writes what is queued and takes nothing more. Outcomes that cannot be written are posted again after the next start. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#writing;
  }

  /** Runs after the recovery of an endpoint. If it fails, the deliveries keep their schedule. */
  async #bringForward(deviceId: number): Promise<void> {
    const { outbox, clock, log, written } = this.#parts;
    try {
      written(await outbox.bringForward(deviceId, clock.now()));
    } catch (error) {
      log.warn({ deviceId, error: messageOf(error) }, 'waiting deliveries could not be brought forward');
    }
  }

  async #write(): Promise<void> {
    // One turn of the event loop, in which more may arrive.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchSize);
      try {
        const recorded = this.#parts.outbox.record(batch);
        this.#parts.writing();
        for (const deviceId of await recorded) void this.#bringForward(deviceId);
      } catch (error) {
        this.#parts.log.error({ error: messageOf(error) }, 'webhook outcomes could not be written; retrying');
        if (this.#ending) break;
        await new Promise<void>((resolve) => this.#parts.clock.after(retryMs, resolve));
        continue;
      }
      this.#queue.splice(0, batch.length);
      this.#parts.written(batch.length);
    }
    this.#writing = null;
  }
}
