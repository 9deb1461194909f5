/** Fetches media that devices keep (docs/spec/messages.md, Media), from a queue in the database; marked as kept once stored, in case of a crash. */
import type { Clock } from '../../domain/clock.ts';
import type { CommittedEvent } from '../../domain/event.ts';
import {
  type KeptFiles,
  MediaLost,
  MediaStoreUnavailable,
  type WaitingMedia,
} from '../../domain/messages/kept-media.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Stores } from '../../domain/stores.ts';
import { isUnavailable, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { Runtimes } from '../sessions/runtimes.ts';
import { FetchRate } from './fetch-rate.ts';
import { PieceHashes } from './pieces.ts';
import { MediaRemoval } from './removal.ts';

export interface FetcherParts {
  readonly stores: Pick<Stores, 'keptMedia' | 'onEvents'>;
  readonly files: KeptFiles | null;
  readonly runtimes: Pick<Runtimes, 'all' | 'find'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface FetcherStats {
  readonly kept: number;
  readonly retried: number;
  readonly failed: number;
  readonly bytes: number;
}

const maxRunning = 8;
const maxPerUser = 2;
/** Finds what no event announces: history, retries, and what waited before the session opened. */
const lookEveryMs = 10_000;
const momentMs = 500;
/** Pause while the media store is full or unreachable. */
const retryMs = 60_000;
const phoneWaitMs = 15_000;
const minuteMs = 60_000;
/** After each failed attempt; then it has failed. */
const delaysMs = [
  2_000,
  10_000,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  120 * minuteMs,
  360 * minuteMs,
  720 * minuteMs,
].concat(Array.from({ length: 2 }, () => 1_440 * minuteMs));

const keeps = (runtime: DeviceRuntime | null): runtime is DeviceRuntime =>
  runtime !== null && !runtime.disposed && runtime.settings.media === 'kept';

const bringsMedia = ({ event }: CommittedEvent): boolean =>
  event.type === 'history.loaded' ||
  ((event.type === 'message.received' || event.type === 'message.sent') && event.data.message.media !== null);

export class MediaFetcher {
  readonly #parts: FetcherParts;
  readonly #removal: MediaRemoval | null;
  readonly #ready = new Set<number>();
  readonly #asking = new Set<number>();
  readonly #running = new Map<number, Pick<DeviceRuntime, 'id' | 'userId'>>();
  readonly #steps = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #timer: { cancel(): void } | null = null;
  #pumping: { cancel(): void } | null = null;
  #cleaning: { cancel(): void } | null = null;
  #unsubscribe: (() => void) | null = null;
  #pausedUntil = 0;
  #stats = { kept: 0, retried: 0, failed: 0, bytes: 0 };

  constructor(parts: FetcherParts) {
    this.#parts = parts;
    const { files, stores, log } = parts;
    const isRunning = (n: number): boolean => this.#running.has(n);
    this.#removal = files === null ? null : new MediaRemoval({ kept: stores.keptMedia, files, log, isRunning });
  }

  get isAble(): boolean {
    return this.#parts.files !== null;
  }

  get stats(): FetcherStats {
    return this.#stats;
  }

  start(): void {
    if (!this.isAble) return;
    this.look();
    this.#clean();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#timer?.cancel();
    this.#pumping?.cancel();
    this.#cleaning?.cancel();
    this.#unsubscribe?.();
    await this.#parts.files?.close();
    await Promise.all([...this.#steps, this.#removal?.settled]);
  }

  /** Call when a device comes to this process. */
  readonly meet = (runtime: DeviceRuntime): void => {
    if (keeps(runtime) && this.#timer !== null && this.#unsubscribe === null) this.look();
  };

  /** Looks now and periodically. */
  look(): void {
    const { clock, runtimes, stores } = this.#parts;
    if (this.#stop.signal.aborted || !this.isAble) return;
    this.#timer?.cancel();
    const isWanted = runtimes.all().some(keeps);
    this.#timer = clock.after(lookEveryMs, () => this.look());
    if (!isWanted) {
      this.#unsubscribe?.();
      this.#unsubscribe = null;
      return;
    }
    // Only while a device keeps media: otherwise no messages pass here.
    this.#unsubscribe ??= stores.onEvents((events) => this.#hear(events));
    this.#track(this.#find());
  }

  async #find(): Promise<void> {
    const { stores, clock } = this.#parts;
    for (const id of await stores.keptMedia.due(clock.now())) this.#ready.add(id);
    this.#pump();
  }

  #clean(): void {
    this.#removal?.run();
    this.#cleaning = this.#parts.clock.after(lookEveryMs, () => this.#clean());
  }

  #hear(events: readonly CommittedEvent[]): void {
    for (const event of events) if (bringsMedia(event)) this.#ready.add(event.deviceId);
    this.#pump();
  }

  #track(work: Promise<void>): void {
    const { log } = this.#parts;
    const step = work
      .catch((error: unknown) => log.error({ reason: messageOf(error) }, 'could not look after kept media'))
      .finally(() => this.#steps.delete(step));
    this.#steps.add(step);
  }

  #pump(): void {
    const { clock, runtimes } = this.#parts;
    if (this.#stop.signal.aborted || clock.now() < this.#pausedUntil) return;
    for (const id of this.#ready) {
      if (this.#running.size + this.#asking.size >= maxRunning) return;
      const runtime = runtimes.find(id);
      // Continues when one of those ends.
      if (this.#asking.has(id) || (runtime !== null && this.#countOf(runtime) >= maxPerUser)) continue;
      const session = runtime?.networkSession ?? null;
      if (keeps(runtime) && session === null) {
        this.#pumpLater();
        continue;
      }
      this.#ready.delete(id);
      if (keeps(runtime) && session !== null) this.#track(this.#step(runtime, session));
    }
  }

  #pumpLater(): void {
    this.#pumping ??= this.#parts.clock.after(momentMs, () => {
      this.#pumping = null;
      this.#pump();
    });
  }

  #countOf({ userId }: DeviceRuntime): number {
    const asking = [...this.#asking].filter((id) => this.#parts.runtimes.find(id)?.userId === userId);
    return asking.length + [...this.#running.values()].filter((each) => each.userId === userId).length;
  }

  #ofDevice(deviceId: number): readonly number[] {
    return [...this.#running].filter(([, { id }]) => id === deviceId).map(([n]) => n);
  }

  async #step(runtime: DeviceRuntime, session: NetworkSession): Promise<void> {
    const { id } = runtime;
    const item = await this.#next(runtime);
    // Continues with files that arrived during the query.
    if (item === null) return this.#pump();
    this.#ready.add(id);
    this.#pump();
    try {
      await this.#fetch(item, session).catch((error: unknown) => this.#failed(item, runtime, session, error));
    } finally {
      this.#running.delete(item.n);
      this.#ready.add(id);
      this.#pump();
    }
  }

  async #next({ id: deviceId, userId }: DeviceRuntime): Promise<WaitingMedia | null> {
    const { stores, clock } = this.#parts;
    this.#asking.add(deviceId);
    try {
      const item = await stores.keptMedia.next(deviceId, clock.now(), this.#ofDevice(deviceId));
      // Before the next query, which would return the same row.
      if (item !== null) this.#running.set(item.n, { id: deviceId, userId });
      return item;
    } finally {
      this.#asking.delete(deviceId);
    }
  }

  async #fetch(item: WaitingMedia, session: NetworkSession): Promise<void> {
    const { stores, clock, log } = this.#parts;
    const files = this.#parts.files!;
    const draft = await files.create(item, item.message.media?.bytes ?? 0);
    const pieces = new PieceHashes();
    let bytes = 0;
    const rate = new FetchRate(clock);
    try {
      const write = (chunk: Uint8Array): Promise<void> => {
        rate.received += chunk.length;
        pieces.add(chunk);
        return draft.write(chunk);
      };
      const request = { write, signal: AbortSignal.any([this.#stop.signal, rate.tooSlow]) };
      // The phone is not asked for history, which could be hundreds of files.
      bytes = await session.fetchMedia(item.message, item.live ? phoneWaitMs : null, request);
      await draft.keep();
    } catch (error) {
      await draft.drop();
      throw error;
    } finally {
      rate.end();
    }
    if (await stores.keptMedia.markKept(item, bytes, pieces.end())) {
      this.#stats.kept += 1;
      this.#stats.bytes += bytes;
      if (this.#pausedUntil > 0 && clock.now() >= this.#pausedUntil) {
        log.info('media is kept again');
        this.#pausedUntil = 0;
      }
    } else if (!(await stores.keptMedia.isKept(item.n))) await files.remove(item);
  }

  async #failed(item: WaitingMedia, runtime: DeviceRuntime, session: NetworkSession, error: unknown): Promise<void> {
    const { stores, clock, log } = this.#parts;
    if (this.#stop.signal.aborted) return;
    const { n, deviceId, attempts } = item;
    const reason = messageOf(error);
    if (error instanceof MediaStoreUnavailable || isUnavailable(error)) {
      // Not the fault of one file: all of them wait, and none counts as failed.
      if (clock.now() >= this.#pausedUntil)
        log.error({ reason }, 'media cannot be kept; it is tried again every minute');
      this.#pausedUntil = clock.now() + retryMs;
      return;
    }
    // The next session continues; the session ends before this is reported.
    if (runtime.networkSession !== session) return stores.keptMedia.postpone(n, clock.now() + delaysMs[0]!, attempts);
    const delay = delaysMs[attempts];
    if (delay === undefined || (error instanceof MediaLost && error.forGood)) {
      this.#stats.failed += 1;
      log.warn({ deviceId, reason }, 'media could not be kept');
      return stores.keptMedia.markFailed(n);
    }
    this.#stats.retried += 1;
    log.info({ deviceId, attempts: attempts + 1, reason }, 'media is fetched again later');
    await stores.keptMedia.postpone(n, clock.now() + delay, attempts + 1);
    if (delay < lookEveryMs) clock.after(delay + momentMs, () => this.look());
  }
}
