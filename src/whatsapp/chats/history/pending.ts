/** Pending chunks, stored with the message that named them, as the phone names each once. Only slots are in memory: a long history has many. */
import { proto } from '../../library/proto.ts';
import type { KeyChange, SessionChanges } from '../../../domain/changes.ts';
import type { SessionStore } from '../../state/session-store.ts';

const keyType = 'history-chunk';
const firstPlaces = 64;
const places = Array.from({ length: firstPlaces }, (_, place) => String(place));
/** Key of the range of further slots in use, `<from> <to>`; present once the first ones were not enough. */
const rangeKey = 'more';
/** A notification with an inline chunk may be as long as a message. */
const maxBytes = 4 * 1024 * 1024;

export type Notification = proto.Message.IHistorySyncNotification;

export type ChunkOutcome = Pick<SessionChanges, 'keys' | 'credentials' | 'facts'>;

export class PendingChunks {
  readonly #deviceId: number;
  readonly #store: Pick<SessionStore, 'readKeys' | 'commit'>;
  readonly #waiting = new Map<number, boolean>();
  /** Further slots: the first possibly in use, and the next free one. */
  #from = firstPlaces;
  #to = firstPlaces;
  #loading: Promise<void> | null = null;

  constructor(deviceId: number, store: Pick<SessionStore, 'readKeys' | 'commit'>) {
    this.#deviceId = deviceId;
    this.#store = store;
  }

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

  keep(notification: Notification): readonly KeyChange[] {
    const value = proto.Message.HistorySyncNotification.encode(notification).finish();
    if (value.length > maxBytes) return [];
    const place = this.#nextPlace();
    this.#waiting.set(place, true);
    const key = { type: keyType, id: String(place), value };
    return place < firstPlaces ? [key] : [key, this.#range()];
  }

  /** The first slots, then further ones until all are read, which keeps the order of arrival. */
  #nextPlace(): number {
    if (this.#from === this.#to)
      for (let place = 0; place < firstPlaces; place += 1) if (!this.#waiting.has(place)) return place;
    this.#to += 1;
    return this.#to - 1;
  }

  #range(): KeyChange {
    return { type: keyType, id: rangeKey, value: Buffer.from(`${this.#from} ${this.#to}`) };
  }

  get all(): readonly number[] {
    return [...this.#waiting.keys()];
  }

  /** Null while its message is not stored yet: retry then. */
  async read(place: number): Promise<Notification | null> {
    const id = String(place);
    const bytes = (await this.#store.readKeys(this.#deviceId, keyType, [id])).get(id);
    if (bytes !== undefined) return proto.Message.HistorySyncNotification.decode(bytes);
    // Finished by an earlier connection.
    if (this.#waiting.get(place) === false) await this.drop(place);
    return null;
  }

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
