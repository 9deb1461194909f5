/** Opens sealed edits and reactions with the secret of the message that they are about, and says what they change. */
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { openUpdate, secretOf } from './message-secret.ts';
import { authorOf } from './revokes.ts';
import type { SessionStore } from '../login/session-store.ts';
import { contentOf, type SealedUpdate } from '../translate/content.ts';
import { type Envelope, envelopeOf } from '../translate/envelope.ts';
import { edited, reacted, type TranslationContext } from '../translate/message.ts';
import { isSamePerson } from '../translate/people.ts';
import { WaitingUpdates } from './waiting-updates.ts';

export interface UpdatesOptions {
  readonly deviceId: number;
  readonly store: Pick<SessionStore, 'readKeys'>;
  readonly messages: MessageStore;
  readonly context: () => TranslationContext;
  readonly clock: Clock;
  readonly log: Logger;
}

type Changes = Pick<SessionChanges, 'keys' | 'messageChanges' | 'events'>;

export class Updates {
  readonly #options: UpdatesOptions;
  readonly #waiting: WaitingUpdates;

  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#waiting = new WaitingUpdates(options);
  }

  /** To be awaited before `isAwaited`; null: nothing has to be waited for. */
  load(): Promise<void> | null {
    return this.#waiting.load();
  }

  /** Whether an update has come before the message with this id. */
  isAwaited(messageId: string): boolean {
    return this.#waiting.has(messageId);
  }

  /** Changes made by a sealed update. It waits if its message is not here; it is logged and dropped if it cannot be opened. */
  async changesOf(stanza: BinaryNode, update: SealedUpdate, message: proto.IMessage): Promise<Changes> {
    const { me, peek, now } = this.#options.context();
    const envelope = envelopeOf(stanza, me, peek, now);
    if (envelope === null) return {};
    await this.load();
    const original = await this.#find(update.messageId, envelope);
    if (original !== null) return this.#opened(envelope, update, original);
    const kept = this.#waiting.add({
      messageId: update.messageId,
      chats: [envelope.chat, ...(envelope.chatLid === null ? [] : [envelope.chatLid])],
      author: envelope.from.jid,
      at: now,
      attrs: stanza.attrs,
      message: Buffer.from(proto.Message.encode(message).finish()).toString('base64'),
    });
    if (kept === null) this.#say(update, 'an update of a message that is not here is too large to wait for it');
    return kept === null ? {} : { keys: [kept] };
  }

  /** Changes made by the updates that have waited for these messages. */
  async awaited(records: readonly MessageRecord[]): Promise<Changes> {
    await this.load();
    const keys = [];
    const parts: Changes[] = [];
    for (const record of records) {
      const { updates, changes } = this.#waiting.take(record);
      keys.push(...changes);
      for (const { attrs, message } of updates) parts.push(this.#again(attrs, message, record));
    }
    return {
      keys,
      messageChanges: parts.flatMap((part) => part.messageChanges ?? []),
      events: parts.flatMap((part) => part.events ?? []),
    };
  }

  #again(attrs: BinaryNode['attrs'], message: string, original: MessageRecord): Changes {
    const { me, peek, now } = this.#options.context();
    const update = contentOf(proto.Message.decode(Buffer.from(message, 'base64')));
    const envelope = envelopeOf({ tag: 'message', attrs }, me, peek, now);
    return update.kind === 'sealed' && envelope !== null ? this.#opened(envelope, update, original) : {};
  }

  async #find(messageId: string, { chat, chatLid }: Envelope): Promise<MessageRecord | null> {
    const { deviceId, messages } = this.#options;
    const found = await messages.find(deviceId, messageId, chat, true);
    // Stored before the phone number of the chat was known.
    return found ?? (chatLid === null ? null : messages.find(deviceId, messageId, chatLid, true));
  }

  #opened(envelope: Envelope, update: SealedUpdate, original: MessageRecord): Changes {
    const [author, editor] = [authorOf(original), envelope.from];
    // Everybody in the chat has the secret: it proves no author.
    if (update.use === 'edit' && !isSamePerson(author, editor)) {
      return this.#say(update, "an edit of somebody else's message is ignored");
    }
    const secret = secretOf(original);
    if (secret === null) return this.#say(update, 'an update of a message without a secret cannot be opened');
    const opened = openUpdate(update, { id: update.messageId, secret, author, editor });
    if (opened === null) return this.#say(update, 'an update was not sealed with the secret of its message');
    try {
      return update.use === 'edit' ? this.#edit(envelope, update, opened) : this.#reaction(envelope, update, opened);
    } catch (error) {
      return this.#say(update, `an update could not be read: ${messageOf(error)}`);
    }
  }

  #edit(envelope: Envelope, update: SealedUpdate, opened: Uint8Array): Changes {
    const content = contentOf(proto.Message.decode(opened));
    if (content.kind !== 'edit' && content.kind !== 'message') return this.#say(update, 'an edit says nothing');
    return edited(envelope, { kind: 'edit', messageId: update.messageId, text: content.text });
  }

  #reaction(envelope: Envelope, update: SealedUpdate, opened: Uint8Array): Changes {
    const { text } = proto.Message.ReactionMessage.decode(opened);
    // As a reaction that is not sealed, with its limits.
    const content = contentOf({ reactionMessage: { key: { id: update.messageId }, text: text ?? null } });
    return content.kind === 'reaction' ? reacted(envelope, content) : {};
  }

  #say({ use }: SealedUpdate, what: string): Changes {
    const { deviceId, log } = this.#options;
    log.info({ deviceId, use }, what);
    return {};
  }
}
