/** The loop that keeps the outbox moving: claims what is due and sleeps until more is. */
import type { Clock } from '../domain/clock.ts';
import type { Outbox } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import type { Wakeup } from './wakeup.ts';
import type { Endpoints } from './endpoints.ts';
import type { Poster } from './poster.ts';
import type { Recorder } from './recorder.ts';

export interface DrainParts {
  readonly outbox: Pick<Outbox, 'claim' | 'nextDueAt'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wakeup: Wakeup;
  readonly endpoints: Endpoints;
  readonly recorder: Recorder;
  readonly poster: Poster;
  readonly leaseMs: number;
}

const claimSize = 128;
/** The longest sleep, after which deliveries are found that no wakeup announced. */
const idleMs = 30_000;
/** Poll interval while what is due belongs to a full or paused endpoint, since other deliveries may become due unseen. */
const maskedMs = 500;
const errorPauseMs = 1000;

export class Drain {
  readonly #parts: DrainParts;
  #running: Promise<void> | null = null;
  #stopping = false;
  #masked = false;
  #recording = false;

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  /** True while something is due that there was no room for: whoever makes room signals it. */
  get masked(): boolean {
    return this.#masked;
  }

  /** Claims with the record that is about to be written: SQLite commits both at once. */
  recording(): void {
    this.#recording = true;
    this.#parts.wakeup.signal();
  }

  start(): void {
    this.#running ??= this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#parts.wakeup.signal();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { wakeup, log } = this.#parts;
    while (!this.#stopping) {
      try {
        const ms = await this.#turn();
        if (ms > 0) await wakeup.sleep(ms);
      } catch (error) {
        log.error({ error: messageOf(error) }, 'the webhook outbox cannot be read; retrying');
        await wakeup.sleep(errorPauseMs);
      }
    }
  }

  /** Claims what is due; returns for how long there is nothing to do. */
  async #turn(): Promise<number> {
    const { outbox, clock, endpoints } = this.#parts;
    const now = clock.now();
    // From here on whoever makes room signals it.
    this.#masked = true;
    const recording = this.#recording;
    this.#recording = false;
    let claimed = 0;
    // A claim flushes the disk even if it finds nothing. What a record makes due is not to be seen yet.
    let due = recording ? now : await outbox.nextDueAt();
    if (due !== null && due <= now) {
      claimed = await this.#claim(now);
      due = await outbox.nextDueAt();
    }
    if (due !== null && due <= now) return claimed > 0 ? 0 : maskedMs;
    this.#masked = false;
    const next = Math.min(due ?? Infinity, endpoints.nextPauseEnd(now) ?? Infinity);
    return Math.min(next - clock.now(), idleMs);
  }

  /** Claims what there is room for and posts it; returns how many. */
  async #claim(now: number): Promise<number> {
    const { outbox, endpoints, recorder, poster, leaseMs } = this.#parts;
    const limit = Math.min(endpoints.room - recorder.unwritten, claimSize);
    if (limit <= 0) return 0;
    const leaseUntil = now + leaseMs;
    const claimed = await outbox.claim({
      now,
      leaseUntil,
      limit,
      exceptDevices: endpoints.full(now),
      roomOf: (deviceId, taken) => endpoints.roomOf(deviceId, now, taken),
    });
    poster.post(claimed, leaseUntil);
    return claimed.length;
  }
}
