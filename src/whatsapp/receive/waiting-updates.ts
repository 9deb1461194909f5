/** Sealed updates that came before the message which they are about: kept with the session, in bounded number, until it comes. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { KeyChange } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { SessionStore } from '../login/session-store.ts';

export interface WaitingUpdate {
  /** Id of the message that the update is about. */
  readonly messageId: string;
  /** Both names of the chat, where they are known. */
  readonly chats: readonly Jid[];
  readonly author: Jid;
  /** When it came, ms. */
  readonly at: number;
  /** Attributes of the update's stanza. */
  readonly attrs: BinaryNode['attrs'];
  /** The decrypted message in base64. */
  readonly message: string;
}

const keyType = 'waiting-updates';
const keyId = 'all';

/** Bounds, so that nobody fills the store with updates of messages that never come. */
const perDevice = 64;
const perAuthor = 8;
const mostCharacters = 16_384;
const lifeMs = 3 * 86_400_000;

const isAbout = ({ messageId, chats }: WaitingUpdate, { id, chat, chatLid }: MessageRecord): boolean =>
  messageId === id && chats.some((name) => name === chat || name === chatLid);

export interface WaitingUpdatesOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys'>;
  readonly clock: Clock;
}

export class WaitingUpdates {
  readonly #options: WaitingUpdatesOptions;
  #updates: readonly WaitingUpdate[] | null = null;
  #loading: Promise<void> | null = null;

  constructor(options: WaitingUpdatesOptions) {
    this.#options = options;
  }

  /** To be awaited before the other methods are called; null: it is done. */
  load(): Promise<void> | null {
    if (this.#updates !== null) return null;
    this.#loading ??= this.#read();
    return this.#loading;
  }

  has(messageId: string): boolean {
    return this.#updates?.some((update) => update.messageId === messageId) === true;
  }

  /** The change of the store that keeps it; null for one that is too large to wait. */
  add(update: WaitingUpdate): KeyChange | null {
    if (update.message.length > mostCharacters) return null;
    const ofAuthor = this.#alive().filter(({ author }) => author === update.author);
    const surplus = ofAuthor.slice(0, Math.max(0, ofAuthor.length + 1 - perAuthor));
    const kept = this.#alive().filter((each) => !surplus.includes(each) && !isSame(each, update));
    return this.#write([...kept, update].slice(-perDevice));
  }

  /** Those about a message that has come, oldest first, and the change of the store that forgets them. */
  take(record: MessageRecord): { readonly updates: readonly WaitingUpdate[]; readonly changes: readonly KeyChange[] } {
    const all = this.#updates ?? [];
    const updates = all.filter((update) => isAbout(update, record));
    if (updates.length === 0) return { updates, changes: [] };
    return { updates, changes: [this.#write(this.#alive().filter((update) => !updates.includes(update)))] };
  }

  #alive(): readonly WaitingUpdate[] {
    const oldest = this.#options.clock.now() - lifeMs;
    return (this.#updates ?? []).filter(({ at }) => at >= oldest);
  }

  #write(updates: readonly WaitingUpdate[]): KeyChange {
    this.#updates = updates;
    const value = updates.length === 0 ? null : Buffer.from(JSON.stringify(updates));
    return { type: keyType, id: keyId, value };
  }

  async #read(): Promise<void> {
    try {
      const { deviceId, store } = this.#options;
      const value = (await store.readKeys(deviceId, keyType, [keyId])).get(keyId);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `#write` alone, and sealed
      this.#updates = value === undefined ? [] : (JSON.parse(Buffer.from(value).toString()) as WaitingUpdate[]);
    } finally {
      this.#loading = null;
    }
  }
}

const isSame = (one: WaitingUpdate, other: WaitingUpdate): boolean =>
  one.attrs.id === other.attrs.id && one.author === other.author;
