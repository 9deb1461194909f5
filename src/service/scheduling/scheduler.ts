/** Sends due messages of this process's devices. Memory has only each device's next time, so an offline device costs the database no query. */
import { LeaseLost } from '../../domain/lease.ts';
import type { NextDue, ScheduledMessage } from '../../domain/messages/scheduled.ts';
import { HandsetError, isUnavailable, mayHaveBeenSent, messageOf } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { Sending } from '../sending/sending.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { pause } from '../time/deadline.ts';
import { depart, tellFailed } from './departure.ts';

/** Also the delay until a clock jump or an opened session is noticed. */
const lookMs = 1_000;
const stopMs = 5_000;
const pauseMs = 50;
const maxRunning = 64;
const maxPerDevice = 8;
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
/** After each failed attempt; then every hour. */
const delaysMs = [5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs];

const final: ReadonlySet<string> = new Set([
  'InvalidRequest',
  'InvalidImage',
  'Forbidden',
  'NotFound',
  'PayloadTooLarge',
]);

const isFinal = (error: unknown): error is HandsetError =>
  error instanceof HandsetError && (final.has(error.name) || error.reason === 'refused_by_network');

const delayOf = (error: unknown, attempts: number): number => {
  if (!(error instanceof HandsetError)) return delaysMs[attempts] ?? 60 * minuteMs;
  if (error.name === 'DeviceNotConnected' || error.name === 'DeviceNotAuthenticated') return 0;
  return (error.retryAfterSeconds ?? 0) * secondMs || (delaysMs[attempts] ?? 60 * minuteMs);
};

const wordsOf = (error: unknown): string =>
  error instanceof HandsetError ? error.message : 'The message could not be sent';

const tooLate = 'The message was not sent: the device was not connected until the end of its time';

const failureOf = async (work: Promise<void>): Promise<{ readonly error: unknown } | null> => {
  try {
    await work;
    return null;
  } catch (error) {
    return { error };
  }
};

type Parts = Pick<LiveParts, 'stores' | 'scopes' | 'clock' | 'log' | 'runtimes'>;

export class Scheduler {
  readonly #parts: Parts;
  readonly #sending: Sending;
  readonly #due = new Map<number, NextDue>();
  readonly #unread = new Set<number>();
  readonly #running = new Map<string, number>();
  readonly #steps = new Set<Promise<void>>();
  #timer: { cancel(): void } | null = null;
  #looking: Promise<void> | null = null;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: Parts, sending: Sending) {
    this.#parts = parts;
    this.#sending = sending;
  }

  start(): void {
    this.#isStarted = true;
    this.#lookIn(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
    // Sends end with their sessions; a file being fetched may take longer, and is not waited for.
    await Promise.race([Promise.all(this.#steps), pause(this.#parts.clock, stopMs)]);
  }

  /** Call when the device comes here, or its messages change. */
  look(deviceId: number): void {
    this.#unread.add(deviceId);
    if (this.#isStarted && this.#looking === null) this.#lookIn(0);
  }

  #lookIn(ms: number): void {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    this.#timer = this.#parts.clock.after(ms, () => {
      this.#looking ??= this.#lookOnce();
    });
  }

  async #lookOnce(): Promise<void> {
    let next = lookMs;
    try {
      next = await this.#look();
    } catch (error) {
      this.#parts.log.error({ reason: messageOf(error) }, 'could not look for scheduled messages');
    }
    this.#looking = null;
    this.#timer = null;
    if (this.#due.size > 0 || this.#unread.size > 0) this.#lookIn(next);
  }

  async #look(): Promise<number> {
    const { clock, runtimes } = this.#parts;
    await this.#read();
    const now = clock.now();
    let next = lookMs;
    for (const [id, { dueAt, until }] of this.#due) {
      if (this.#isStopped) return lookMs;
      if (dueAt > now) {
        next = Math.min(next, dueAt - now);
        continue;
      }
      const runtime = runtimes.find(id);
      if (runtime === null || runtime.disposed) this.#due.delete(id);
      else if (runtime.networkSession !== null) await this.#send(runtime, now);
      else if (until <= now) await this.#expire(runtime, now);
    }
    return this.#unread.size > 0 ? pauseMs : next;
  }

  async #read(): Promise<void> {
    const ids = [...this.#unread];
    if (ids.length === 0) return;
    this.#unread.clear();
    try {
      const found = await this.#parts.stores.scheduled.nextDue(ids, [...this.#running.keys()]);
      for (const id of ids) {
        this.#due.delete(id);
        const next = found.get(id);
        if (next !== undefined) this.#due.set(id, next);
      }
    } catch (error) {
      for (const id of ids) this.#unread.add(id);
      throw error;
    }
  }

  async #send(runtime: DeviceRuntime, now: number): Promise<void> {
    const { stores } = this.#parts;
    const own = [...this.#running].filter(([, id]) => id === runtime.id).map(([messageId]) => messageId);
    const room = Math.min(maxPerDevice - own.length, maxRunning - this.#running.size);
    if (room <= 0) return;
    const taken = await stores.scheduled.take(runtime.id, now, room, own);
    for (const message of taken) {
      this.#running.set(message.messageId, runtime.id);
      const step = this.#run(runtime, message).finally(() => {
        this.#steps.delete(step);
        this.#running.delete(message.messageId);
        this.look(runtime.id);
      });
      this.#steps.add(step);
    }
    this.#unread.add(runtime.id);
  }

  async #run(runtime: DeviceRuntime, message: ScheduledMessage): Promise<void> {
    const { stores, log, clock } = this.#parts;
    const { deviceId, messageId, sendUntil, attempts, isLeaving } = message;
    try {
      const failure = await failureOf(depart(this.#parts, this.#sending, runtime, message));
      if (failure === null) return await stores.scheduled.remove(deviceId, messageId);
      const { error } = failure;
      if (error instanceof LeaseLost || runtime.disposed) return;
      const retryAt = clock.now() + delayOf(error, attempts);
      const isSafe = !isLeaving && !mayHaveBeenSent(error) && !isUnavailable(error);
      log.info({ deviceId, attempts: attempts + 1, reason: messageOf(error) }, 'a scheduled message was not sent');
      if (isFinal(error) || retryAt >= sendUntil) await tellFailed(this.#parts, runtime, message, wordsOf(error));
      else await stores.scheduled.postpone(deviceId, messageId, retryAt, isSafe);
    } catch (error) {
      log.error({ deviceId, reason: messageOf(error) }, 'could not note the end of a scheduled message');
      if (!this.#isStopped) await pause(clock, lookMs);
    }
  }

  async #expire(runtime: DeviceRuntime, now: number): Promise<void> {
    const { stores } = this.#parts;
    for (const message of await stores.scheduled.expired(runtime.id, now, maxRunning)) {
      if (this.#running.has(message.messageId)) continue;
      await tellFailed(this.#parts, runtime, message, tooLate);
    }
    this.#unread.add(runtime.id);
  }
}
