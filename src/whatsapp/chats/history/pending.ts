/**
 * Chunks of history that are still to be read: kept in the store with the message that named them, so that a crash between its receipt and the
 * download loses none. The phone names each chunk once.
 */
import { proto } from '../../engine/proto.ts';
import type { KeyChange } from '../../../domain/changes.ts';
import type { SessionStore } from '../../login/session-store.ts';

const keyType = 'history-chunk';
/** At most 64 chunks wait; further ones are not read. */
const places = Array.from({ length: 64 }, (_, place) => String(place));
/** A notification with its chunk inside may be as long as a message. */
const mostBytes = 4 * 1024 * 1024;

export type Notification = proto.Message.IHistorySyncNotification;

export class PendingChunks {
  readonly #deviceId: number;
  readonly #store: Pick<SessionStore, 'readKeys' | 'commit'>;
  /** In the order of their coming. */
  readonly #chunks = new Map<string, Notification>();
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
    for (const [place, bytes] of await this.#store.readKeys(this.#deviceId, keyType, places)) {
      this.#chunks.set(place, proto.Message.HistorySyncNotification.decode(bytes));
    }
  }

  /** The change that keeps a chunk, to go into the commit of its message; none where there is no room for it. */
  keep(notification: Notification): readonly KeyChange[] {
    const place = places.find((each) => !this.#chunks.has(each));
    const bytes = proto.Message.HistorySyncNotification.encode(notification).finish();
    if (place === undefined || bytes.length > mostBytes) return [];
    this.#chunks.set(place, notification);
    return [{ type: keyType, id: place, value: bytes }];
  }

  get all(): readonly (readonly [string, Notification])[] {
    return [...this.#chunks];
  }

  /** `credentials`: changed by what was read, to be written with it. */
  async drop(place: string, credentials?: Uint8Array): Promise<void> {
    const keys = [{ type: keyType, id: place, value: null }];
    await this.#store.commit(this.#deviceId, credentials === undefined ? { keys } : { keys, credentials });
    this.#chunks.delete(place);
  }
}
