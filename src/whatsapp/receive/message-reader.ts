/** Decrypted messages as changes: each is read within its time budget; what cannot be read is stored as unknown. */
import { fieldsWithin, lengthDelimited, maxFields } from '../signal/session-record.ts';
import type { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { SessionChanges } from '../../domain/changes.ts';
import type { PendingChunks } from '../chats/history/pending.ts';
import { serializeCredentials } from '../signal/credentials.ts';
import { encodeKey } from '../signal/key-store.ts';
import { decodeMessage, unpadded } from '../translate/parts/decode.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { noteOperation } from '../../domain/turns.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { factsOf, setFacts } from '../identity/account.ts';
import { isMe, meOf } from '../identity/people.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { Budget } from '../translate/parts/limits.ts';
import { type Content, contentOf, peopleIn } from '../translate/content.ts';
import { envelopeOf } from '../translate/parts/envelope.ts';
import { stanzaOfInfo, translateMessage, translateUnread } from '../translate/message.ts';
import type { TranslationContext } from '../translate/acts.ts';
import { type GroupOf, mayRevoke } from '../message-updates/sealed.ts';
import { encsIn } from './ciphertexts.ts';
import type { Updates } from './updates.ts';

export const emptyMessage = Uint8Array.of(1);

/** Field numbers of `senderKeyDistributionMessage`, `deviceSentMessage`, and the message in that. */
const [senderKey, deviceSent, sentMessage] = [2, 31, 2];

const fieldIn = (bytes: Uint8Array, wanted: number): Uint8Array | null => {
  for (const { number, value } of fieldsWithin(bytes, { left: maxFields }))
    if (number === wanted && typeof value !== 'number') return value;
  return null;
};

/** What the inbox keeps: the sender key, in case the process dies before storing it. `bytes`: without padding. */
export const keptOf = (bytes: Uint8Array): Uint8Array => {
  try {
    const sent = fieldIn(bytes, deviceSent);
    const key = fieldIn((sent && fieldIn(sent, sentMessage)) ?? bytes, senderKey);
    if (key !== null) return Buffer.concat([lengthDelimited(senderKey, key), emptyMessage]);
  } catch {
    // Not a message, or of fields that messages do not have.
  }
  return emptyMessage;
};

/** A phone has a handful of keys at a time. */
const maxKeys = 100;

// App state keys and history chunk locations are in the commit of their message, before its receipt leaves: the phone sends each once.
const keysIn = ({ keys }: proto.Message.IAppStateSyncKeyShare) =>
  (keys ?? [])
    .slice(0, maxKeys)
    .flatMap(({ keyId, keyData }) =>
      keyId?.keyId?.length && keyData?.keyData?.length
        ? [{ id: Buffer.from(keyId.keyId).toString('base64'), keyData }]
        : [],
    );

/** Own changes are written under the newest key (whatsmeow `getLatestAppStateSyncKeyIDQuery`, 2026-11-29); an older one is shared on request. */
const takeNewest = (creds: AuthenticationCreds, shared: ReturnType<typeof keysIn>): void => {
  for (const { id, keyData } of shared) {
    const at = Number(keyData.timestamp ?? 0);
    if (at < (factsOf(creds).appStateKeyAt ?? 0)) continue;
    creds.myAppStateKeyId = id;
    setFacts(creds, { appStateKeyAt: at });
  }
};

export const peerDataChanges = (
  { protocolMessage }: proto.IMessage,
  creds: AuthenticationCreds,
  pending: PendingChunks,
): Pick<SessionChanges, 'keys' | 'credentials'> => {
  const { appStateSyncKeyShare, historySyncNotification } = protocolMessage ?? {};
  if (historySyncNotification) return { keys: pending.keep(historySyncNotification) };
  const shared = appStateSyncKeyShare ? keysIn(appStateSyncKeyShare) : [];
  if (shared.length === 0) return {};
  takeNewest(creds, shared);
  const type = 'app-state-sync-key';
  const keys = shared.map(({ id, keyData }) => ({ type, id, value: encodeKey(type, keyData) }));
  return { keys, credentials: serializeCredentials(creds) };
};

export interface MessageReaderOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly messages: MessageStore;
  readonly memory: Pick<DeviceMemory, 'unread'>;
  readonly lidMapping: LidMapping;
  readonly groupOf: GroupOf;
  readonly updates: Updates;
  readonly context: () => TranslationContext;
  readonly log: Logger;
}

interface Read {
  readonly message: proto.IMessage;
  readonly content: Content;
  readonly bytes: Uint8Array;
  readonly budget: Budget;
}

export class MessageReader {
  readonly #options: MessageReaderOptions;

  constructor(options: MessageReaderOptions) {
    this.#options = options;
  }

  async changesOf(stanza: BinaryNode, plaintext: Uint8Array): Promise<SessionChanges> {
    noteOperation({ kind: 'message', deviceId: this.#options.deviceId });
    const budget = new Budget(plaintext.length);
    const bytes = this.translated('message', () => unpadded(plaintext)) ?? new Uint8Array();
    const read = this.translated('message', () =>
      budget.run(() => {
        const message = decodeMessage(bytes);
        return { message, content: contentOf(message) };
      }),
    );
    const changes = read && (await this.#changesOf(stanza, { ...read, bytes, budget }));
    if (budget.isSpent) this.tellSlow();
    // An unreadable message is stored as unknown, not dropped (docs/spec/events.md, Rules).
    return changes ?? this.#unread(stanza, bytes);
  }

  /** A message of the phone is kept whole, as its changes are not all in one commit. */
  kept(stanza: BinaryNode, plaintext: Uint8Array): Uint8Array {
    return stanza.attrs.category === 'peer' ? plaintext : keptOf(unpadded(plaintext));
  }

  #unread(stanza: BinaryNode, bytes: Uint8Array): SessionChanges {
    return this.translated('message', () => translateUnread(stanza, {}, this.#options.context(), bytes)) ?? {};
  }

  leftUnread(stanza: BinaryNode, plaintext: Uint8Array): SessionChanges & { readonly instead: Uint8Array } {
    const bytes = unpadded(plaintext);
    const instead = keptOf(bytes);
    // A group message's content is in a second ciphertext beside its key.
    const isKey =
      instead !== emptyMessage && encsIn(stanza).filter(({ content }) => content instanceof Uint8Array).length > 1;
    const isTold = !isKey && stanza.attrs.category !== 'peer';
    return { ...(isTold && this.#unread(stanza, bytes)), instead };
  }

  async #changesOf(stanza: BinaryNode, { message, content, bytes, budget }: Read): Promise<SessionChanges | null> {
    const { creds, lidMapping, updates, context } = this.#options;
    if (content.kind === 'encryptedUpdate') return updates.changesOf(stanza, content, message);
    // Their senders may be known from an earlier connection only. Of anybody else they are not taken.
    const { participant, from } = stanza.attrs;
    if (content.kind === 'resent' && isMe(meOf(creds), participant ?? from))
      for (const info of content.messages) await lidMapping.recall(stanzaOfInfo(info, meOf(creds)));
    if (content.kind === 'revoke' && !(await this.#mayRevoke(stanza, content))) return {};
    for (const jid of peopleIn(content)) await lidMapping.addressesOf(jid);
    const read = { ...context(), budget };
    const changes = this.translated('message', () => translateMessage(stanza, message, read, bytes));
    return changes && updates.withHd(stanza, message, changes);
  }

  async #mayRevoke(stanza: BinaryNode, { messageId, key }: Extract<Content, { kind: 'revoke' }>): Promise<boolean> {
    const { me, peek, now } = this.#options.context();
    const envelope = envelopeOf(stanza, me, peek, now);
    // In a 1:1 chat the store checks the author.
    if (envelope === null || !envelope.isGroup) return true;
    const may = await mayRevoke(this.#options, envelope, messageId, key);
    const { deviceId, log } = this.#options;
    if (!may) log.info({ deviceId }, 'ignored a revoke by neither the author nor an administrator');
    return may;
  }

  tellSlow(): void {
    const { deviceId, memory, log } = this.#options;
    memory.unread.slow += 1;
    log.warn({ deviceId }, 'a message took too long to be read; it is stored as unknown');
  }

  tellStuck(): void {
    const { deviceId, memory, log } = this.#options;
    memory.unread.stuck += 1;
    log.error(
      { deviceId },
      'a message was begun three times and never came to its end; it is stored without being read',
    );
  }

  /** A stanza that cannot be translated must not stop later ones. */
  translated<T>(kind: string, translate: () => T): T | null {
    try {
      return translate();
    } catch (error) {
      this.#options.log.error({ kind, error: messageOf(error) }, 'failed to translate a stanza');
      return null;
    }
  }
}
