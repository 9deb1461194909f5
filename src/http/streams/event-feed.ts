/** Shared by event streams: one listener of commits, one reader per log position, one serialization per event, one check per key. */
import type { Clock } from '../../domain/clock.ts';
import type { AnyKind, CommittedEvent, StoredEvent } from '../../domain/event.ts';
import { envelopeOf, type MediaUrl } from '../../domain/event-view.ts';
import type { Stores } from '../../domain/stores.ts';
import { inTurns } from '../../domain/turns.ts';
import type { Services } from '../wire/services.ts';
import { Rights } from '../admission/stream-right.ts';

const pageEvents = 50;
const pageBytes = 65_536;
/** How long streams at the same position share a page; a commit ends it. */
const sharedMs = 20;

export interface Frame {
  readonly id: string;
  readonly type: AnyKind;
  readonly bytes: Buffer;
}

export interface FramePage {
  readonly frames: readonly Frame[];
  readonly more: boolean;
  readonly rights: Rights;
}

const written = new WeakMap<StoredEvent, Frame>();

export const frameOf = (stored: StoredEvent, mediaUrl: MediaUrl): Frame => {
  const before = written.get(stored);
  if (before !== undefined) return before;
  const { type } = stored.event;
  const text = `id: ${stored.id}\nevent: ${type}\ndata: ${JSON.stringify(envelopeOf(stored, mediaUrl))}\n\n`;
  const frame = { id: stored.id, type, bytes: Buffer.from(text) };
  written.set(stored, frame);
  return frame;
};

type OfUser = (events: readonly CommittedEvent[], rights: Rights) => void;

class Groups<T> {
  readonly #groups = new Map<number, Set<T>>();

  get all(): Iterable<T> {
    return [...this.#groups.values()].flatMap((group) => [...group]);
  }

  of(id: number): Iterable<T> {
    return this.#groups.get(id) ?? [];
  }

  add(id: number, member: T): () => void {
    const group = this.#groups.get(id) ?? new Set();
    this.#groups.set(id, group.add(member));
    return () => {
      group.delete(member);
      if (group.size === 0) this.#groups.delete(id);
    };
  }
}

/** Waits for news, the heartbeat, or the reader's disconnection. */
export class Wakeup {
  readonly #clock: Clock;
  #news = false;
  #wake: (() => void) | null = null;
  gone = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  notify(): void {
    this.#news = true;
    this.#wake?.();
  }

  leave(): void {
    this.gone = true;
    this.#wake?.();
  }

  async wait(ms: number): Promise<boolean> {
    if (!this.#news && !this.gone) {
      await new Promise<void>((resolve) => {
        const timer = this.#clock.after(ms, resolve);
        this.#wake = () => {
          timer.cancel();
          resolve();
        };
      });
      this.#wake = null;
    }
    const news = this.#news;
    this.#news = false;
    return news;
  }
}

class EventFeed {
  readonly #events: Stores['events'];
  readonly #mediaUrl: MediaUrl;
  readonly #devices = new Groups<Wakeup>();
  readonly #users = new Groups<OfUser>();
  readonly #pages = new Map<number, Map<string | null, Promise<FramePage>>>();

  constructor(stores: Pick<Stores, 'events' | 'onEvents'>, mediaUrl: MediaUrl) {
    this.#events = stores.events;
    this.#mediaUrl = mediaUrl;
    stores.onEvents((committed) => this.#publish(committed));
  }

  /** Wakes the stream when the device may have news. Returns a function that stops. */
  watchDevice(deviceId: number, stream: Wakeup): () => void {
    return this.#devices.add(deviceId, stream);
  }

  /** `take` gets a user's events and the rights from their commit on. Returns a function that stops. */
  watchUser(userId: number, take: OfUser): () => void {
    return this.#users.add(userId, take);
  }

  after(deviceId: number, last: string | null): Promise<FramePage> {
    const ofDevice = this.#pages.get(deviceId) ?? new Map<string | null, Promise<FramePage>>();
    this.#pages.set(deviceId, ofDevice);
    const before = ofDevice.get(last);
    if (before !== undefined) return before;
    const reading = this.#read(deviceId, last);
    ofDevice.set(last, reading);
    const forget = (): void => {
      if (ofDevice.get(last) === reading) ofDevice.delete(last);
      if (ofDevice.size === 0 && this.#pages.get(deviceId) === ofDevice) this.#pages.delete(deviceId);
    };
    reading.then(() => setTimeout(forget, sharedMs).unref(), forget);
    return reading;
  }

  async #read(deviceId: number, last: string | null): Promise<FramePage> {
    const page = await this.#events.listAfter(deviceId, { limit: pageEvents, cursor: last, bytes: pageBytes });
    return {
      frames: await inTurns(page.items, (stored) => frameOf(stored, this.#mediaUrl)),
      more: page.nextCursor !== null,
      rights: new Rights(),
    };
  }

  #publish(committed: readonly CommittedEvent[]): void {
    // Empty: events of other nodes may have been missed.
    if (committed.length === 0) {
      this.#pages.clear();
      for (const stream of this.#devices.all) stream.notify();
    }
    for (const deviceId of new Set(committed.map((event) => event.deviceId))) {
      this.#pages.delete(deviceId);
      for (const stream of this.#devices.of(deviceId)) stream.notify();
    }
    const rights = new Rights();
    for (const [userId, events] of Map.groupBy(committed, (event) => event.userId))
      for (const take of this.#users.of(userId)) take(events, rights);
  }
}

const feeds = new WeakMap<Stores, EventFeed>();

export const feedOf = ({ stores, mediaUrl }: Pick<Services, 'stores' | 'mediaUrl'>): EventFeed => {
  const feed = feeds.get(stores) ?? new EventFeed(stores, mediaUrl);
  feeds.set(stores, feed);
  return feed;
};
