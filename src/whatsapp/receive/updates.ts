/** Updates of earlier messages: sealed ones, and HD versions of media. */
import { type SessionChanges, joinChanges, type KeyChange } from '../../domain/changes.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { isSamePerson } from '../../domain/messages/parts.ts';
import { proto } from '../library/proto.ts';
import { decodeMessage, decodeStored, unwrap } from '../translate/parts/decode.ts';
import { contentOf } from '../translate/content.ts';
import type { EncryptedUpdate } from '../translate/parts/kind.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { openUpdate, secretOf, changesOfOpened, authorOf } from '../message-updates/sealed.ts';
import { KeptValue, type KeptValueOptions } from '../state/kept-value.ts';
import { Budget, BudgetSpent } from '../translate/parts/limits.ts';
import { type Envelope, envelopeOf } from '../translate/parts/envelope.ts';
import { translateMessage, unread } from '../translate/message.ts';
import type { TranslationContext } from '../translate/acts.ts';

/** Null for a message in messages so deep that it can be decoded, and not encoded. */
const encodedOf = (message: proto.IMessage): Buffer | null => {
  try {
    return Buffer.from(proto.Message.encode(message).finish());
  } catch {
    return null;
  }
};

const withFileOf = (content: Uint8Array, better: Uint8Array): Uint8Array | null => {
  const [original, hd] = [decodeStored(content), decodeStored(better)];
  if (original === null || hd === null) return null;
  const message = proto.Message.create(original);
  const [inner, file] = [unwrap(message), unwrap(hd)];
  for (const kind of ['imageMessage', 'videoMessage'] as const) {
    const [own, other] = [inner[kind], file[kind]];
    if (!own || !other) continue;
    inner[kind] = { ...other, caption: own.caption ?? null, contextInfo: own.contextInfo ?? null };
    return encodedOf(message);
  }
  return null;
};

/** Null if `hd` is a message of its own: by somebody else, or of another kind. No change if the message is deleted, or has that media. */
export const changesOfHd = (
  original: MessageRecord,
  hd: MessageRecord,
): Pick<SessionChanges, 'messageChanges' | 'facts'> | null => {
  const author = authorOf(hd);
  if (!isSamePerson(authorOf(original), author)) return null;
  if (original.deletedAt !== null || original.viewOnce) return {};
  const merged = original.content && hd.content ? withFileOf(original.content, hd.content) : null;
  if (merged === null || original.media === null || hd.media === null) return null;
  if (hd.media.sha256 !== null && hd.media.sha256 === original.media.sha256) return {};
  const { id: messageId, media: former } = original;
  const { chat, chatNumber, chatLid } = hd;
  const media = { ...hd.media, fileName: former.fileName, gif: former.gif };
  const data = { messageId, chat, chatNumber, chatLid, update: { media } };
  const event = { type: 'message.updated', data } as const;
  return {
    messageChanges: [{ messageId, chat: original.chat, author, content: merged, media }],
    facts: [{ event, at: hd.timestamp, id: hd.id, author }],
  };
};

/** An update that came before its message, or the message's content. */
interface WaitingUpdate {
  readonly messageId: string;
  readonly chats: readonly Jid[];
  readonly author: Jid;
  readonly at: number;
  readonly attrs: BinaryNode['attrs'];
  readonly message: string;
}

/** Bounded, so that nobody fills the store with updates of nonexistent messages. */
const perDevice = 64;
const perAuthor = 8;
const maxCharacters = 16_384;
const lifeMs = 3 * 86_400_000;

const isAbout = ({ messageId, chats }: WaitingUpdate, { id, chat, chatLid }: MessageRecord): boolean =>
  messageId === id && chats.some((name) => name === chat || name === chatLid);

const isSame = (one: WaitingUpdate, other: WaitingUpdate): boolean =>
  one.attrs.id === other.attrs.id && one.author === other.author;

export interface UpdatesOptions extends KeptValueOptions {
  readonly messages: MessageStore;
  readonly context: () => TranslationContext;
  readonly clock: Clock;
  readonly log: Logger;
}

type Place = Pick<Envelope, 'chat' | 'chatLid'>;

type Changes = Pick<SessionChanges, 'keys' | 'messages' | 'messageChanges' | 'annotations' | 'facts'>;

const isEdit = ({ use }: EncryptedUpdate): boolean => use === 'edit' || use === 'eventEdit' || use === 'pollEdit';

export class Updates {
  readonly #options: UpdatesOptions;
  readonly waiting: KeptValue<readonly WaitingUpdate[]>;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.waiting = new KeptValue<readonly WaitingUpdate[]>(options, 'waiting-updates', []);
  }

  load(): Promise<void> {
    return this.waiting.load();
  }

  isAwaited(messageId: string): boolean {
    return this.waiting.value.some((update) => update.messageId === messageId);
  }

  /** An encrypted update waits if its message or the message's content is missing; logged and dropped if it cannot be opened. */
  async changesOf(stanza: BinaryNode, update: EncryptedUpdate, message: proto.IMessage): Promise<Changes> {
    const { me, peek, now } = this.#options.context();
    const envelope = envelopeOf(stanza, me, peek, now);
    if (envelope === null) return {};
    await this.load();
    const original = await this.#find(update.messageId, envelope);
    if (original !== null && !original.unavailable) return this.#opened(envelope, update, original);
    const kept = this.#keep(this.#waitingFor(update.messageId, envelope, envelope.from.jid, stanza, message));
    if (kept === null) this.#say(update, 'dropped an update of an unknown message that is too large to keep');
    return kept === null ? {} : { keys: [kept] };
  }

  /** If the message is another one's HD version, that one's changes. If that one is missing, the message is reported, and waits for it. */
  async withHd(stanza: BinaryNode, message: proto.IMessage, changes: SessionChanges): Promise<SessionChanges> {
    const [hd] = changes.messages ?? [];
    const parent = hd?.parts?.hdOf;
    if (hd === undefined || !parent) return changes;
    await this.load();
    const original = await this.#find(parent.messageId, hd);
    if (original !== null && !original.unavailable) {
      const made = changesOfHd(original, hd);
      return made === null ? changes : { ...changes, messages: [], facts: [], ...made };
    }
    // Nothing of a view-once message is kept.
    if (hd.viewOnce) return changes;
    const { messageId } = parent;
    const kept = this.#keep(this.#waitingFor(messageId, hd, hd.from, stanza, message));
    return kept === null ? changes : { ...changes, keys: [...(changes.keys ?? []), kept] };
  }

  async awaited(records: readonly MessageRecord[]): Promise<Changes> {
    await this.load();
    const keys = [];
    const parts: Changes[] = [];
    const budget = new Budget(perDevice * maxCharacters);
    for (const record of records) {
      const { updates, changes } = this.#take(record);
      keys.push(...changes);
      for (const { attrs, message } of updates) parts.push(this.#again(attrs, message, record, budget));
    }
    return joinChanges([{ keys }, ...parts]);
  }

  #waitingFor(
    messageId: string,
    { chat, chatLid }: Place,
    author: Jid,
    { attrs }: BinaryNode,
    message: proto.IMessage,
  ): WaitingUpdate | null {
    const chats = [chat, ...(chatLid === null ? [] : [chatLid])];
    const encoded = encodedOf(message)?.toString('base64');
    if (encoded === undefined || encoded.length > maxCharacters) return null;
    return { messageId, chats, author, at: this.#options.clock.now(), attrs, message: encoded };
  }

  #keep(update: WaitingUpdate | null): KeyChange | null {
    if (update === null) return null;
    const ofAuthor = this.#alive().filter(({ author }) => author === update.author);
    const surplus = ofAuthor.slice(0, Math.max(0, ofAuthor.length + 1 - perAuthor));
    const others = this.#alive().filter((each) => !surplus.includes(each) && !isSame(each, update));
    return this.waiting.write([...others, update].slice(-perDevice));
  }

  #take(record: MessageRecord): { readonly updates: readonly WaitingUpdate[]; readonly changes: readonly KeyChange[] } {
    const updates = this.waiting.value.filter((update) => isAbout(update, record));
    if (updates.length === 0) return { updates, changes: [] };
    const others = this.#alive().filter((update) => !updates.includes(update));
    return { updates, changes: [this.waiting.write(others, others.length === 0)] };
  }

  #alive(): readonly WaitingUpdate[] {
    const oldest = this.#options.clock.now() - lifeMs;
    return this.waiting.value.filter(({ at }) => at >= oldest);
  }

  #again(attrs: BinaryNode['attrs'], message: string, original: MessageRecord, budget: Budget): Changes {
    const { me, peek, now } = this.#options.context();
    const stanza: BinaryNode = { tag: 'message', attrs };
    const decoded = decodeMessage(Buffer.from(message, 'base64'));
    const update = contentOf(decoded);
    if (update.kind === 'message') {
      const [hd] = translateMessage(stanza, decoded, { ...this.#options.context(), budget }).messages ?? [];
      return (hd && changesOfHd(original, hd)) ?? {};
    }
    const envelope = envelopeOf(stanza, me, peek, now);
    return update.kind === 'encryptedUpdate' && envelope !== null
      ? this.#opened(envelope, update, original, budget)
      : {};
  }

  async #find(messageId: string, { chat, chatLid }: Place): Promise<MessageRecord | null> {
    const { deviceId, messages } = this.#options;
    const found = await messages.find(deviceId, messageId, chat, true);
    // Stored before the chat's phone number was known.
    return found ?? (chatLid === null ? null : messages.find(deviceId, messageId, chatLid, true));
  }

  #opened(
    envelope: Envelope,
    update: EncryptedUpdate,
    original: MessageRecord,
    budget = new Budget(update.payload.length),
  ): Changes {
    const [author, editor] = [authorOf(original), envelope.from];
    // Everybody in the chat has the secret, so it proves no author.
    if (isEdit(update) && !isSamePerson(author, editor)) {
      return this.#say(update, "ignored an edit of somebody else's message");
    }
    const message = decodeStored(original.content);
    const secret = secretOf(original, message);
    if (secret === null) return this.#say(update, 'cannot decrypt an update of a message without a secret');
    const bytes = openUpdate(update, { id: update.messageId, secret, author, editor });
    if (bytes === null) return this.#say(update, 'an update was not encrypted with the secret of its message');
    const context = this.#options.context();
    try {
      const changes = budget.run(() => changesOfOpened({ envelope, update, original: message, bytes, context }));
      return changes ?? this.#say(update, 'an update has no content');
    } catch (error) {
      const isSlowComment = update.use === 'comment' && error instanceof BudgetSpent;
      if (isSlowComment) return unread(envelope, {}, context, bytes, update.messageId);
      return this.#say(update, `failed to read an update: ${messageOf(error)}`);
    }
  }

  #say({ use }: EncryptedUpdate, what: string): Changes {
    const { deviceId, log } = this.#options;
    log.info({ deviceId, use }, what);
    return {};
  }
}
