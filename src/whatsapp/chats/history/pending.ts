/**
 * Chunks of history that are still to be read: kept in the store with the message that named them, so that a crash between its receipt and the
 * download loses none. The phone names each chunk once, and those of a long history before the first is read: only their places are in memory.
 */
import { proto } from '../../engine/proto.ts';
import type { KeyChange, SessionChanges } from '../../../domain/changes.ts';
import type { SessionStore } from '../../state/session-store.ts';

const keyType = 'history-chunk';
/** Places that each connection looks at. */
const firstPlaces = 64;
const places = Array.from({ length: firstPlaces }, (_, place) => String(place));
/** Key of the range of further places that are in use, `<from> <to>`; it is there once the first places were not enough. */
const rangeKey = 'more';
/** A notification with its chunk inside may be as long as a message. */
const mostBytes = 4 * 1024 * 1024;

export type Notification = proto.Message.IHistorySyncNotification;

/** The changes that are written with the end of a chunk. */
export type ChunkOutcome = Pick<SessionChanges, 'keys' | 'credentials' | 'events'>;

export class PendingChunks {
  readonly #deviceId: number;
  readonly #store: Pick<SessionStore, 'readKeys' | 'commit'>;
  /** Places in the order in which their chunks came; true: named on this connection. */
  readonly #waiting = new Map<number, boolean>();
  /** Further places: the first that may be in use, and the next one to be used. */
  #from = firstPlaces;
  #to = firstPlaces;
  #loading: Promise<void> | null = null;

  constructor(deviceId: number, store: Pick<SessionStore, 'readKeys' | 'commit'>) {
    this.#deviceId = deviceId;
    this.#store = store;
  }

  /** Reads what an earlier connection has left. To be awaited before `keep`. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<void> {
    const found = await this.#store.readKeys(this.#deviceId, keyType, [...places, rangeKey]);
    for (const place of places) if (found.has(place)) this.#waiting.set(Number(place), false);
    const range = found.get(rangeKey);
    if (range === undefined) return;
    const [from = firstPlaces, to = firstPlaces] = Buffer.from(range).toString().split(' ').map(Number);
    [this.#from, this.#to] = [from, to];
    // A commit that named more may have been overtaken by one that named fewer.
    const beyond = Array.from({ length: firstPlaces }, (_, index) => String(to + index));
    for (const place of (await this.#store.readKeys(this.#deviceId, keyType, beyond)).keys())
      this.#to = Math.max(this.#to, Number(place) + 1);
    for (let place = from; place < this.#to; place += 1) this.#waiting.set(place, false);
  }

  /** The changes that keep a chunk, to go into the commit of its message. */
  keep(notification: Notification): readonly KeyChange[] {
    const value = proto.Message.HistorySyncNotification.encode(notification).finish();
    if (value.length > mostBytes) return [];
    const place = this.#nextPlace();
    this.#waiting.set(place, true);
    const key = { type: keyType, id: String(place), value };
    return place < firstPlaces ? [key] : [key, this.#range()];
  }

  /** The first places, then further ones until all of them are read: so the order stays the one in which the chunks came. */
  #nextPlace(): number {
    if (this.#from === this.#to)
      for (let place = 0; place < firstPlaces; place += 1) if (!this.#waiting.has(place)) return place;
    this.#to += 1;
    return this.#to - 1;
  }

  #range(): KeyChange {
    return { type: keyType, id: rangeKey, value: Buffer.from(`${this.#from} ${this.#to}`) };
  }

  /** Places of chunks, in the order of their coming. */
  get all(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  /** Null while the message that named it is not stored yet: the chunk is to be asked for again once it is. */
  async read(place: number): Promise<Notification | null> {
    const id = String(place);
    const bytes = (await this.#store.readKeys(this.#deviceId, keyType, [id])).get(id);
    if (bytes !== undefined) return proto.Message.HistorySyncNotification.decode(bytes);
    // An earlier connection was done with it.
    if (this.#waiting.get(place) === false) await this.drop(place);
    return null;
  }

  /** `outcome`: of its reading, in the same transaction. */
  async drop(place: number, outcome: ChunkOutcome = {}): Promise<void> {
    this.#waiting.delete(place);
    const keys: KeyChange[] = [...(outcome.keys ?? []), { type: keyType, id: String(place), value: null }];
    if (place >= firstPlaces) {
      while (this.#from < this.#to && !this.#waiting.has(this.#from)) this.#from += 1;
      keys.push(this.#range());
    }
    await this.#store.commit(this.#deviceId, { ...outcome, keys });
  }
}
