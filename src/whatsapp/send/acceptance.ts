/** Records that the network accepted a message, by its ack or the first receipt: state, count and `message.sent` in one transaction. */
import { proto } from '../library/proto.ts';
import { joinChanges, type SessionChanges, type Fact } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageChange, MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { changesOfSealed } from '../message-updates/sealed.ts';
import { contentOf } from '../translate/content.ts';
import { envelopeOf } from '../translate/parts/envelope.ts';
import { stanzaOfInfo, translateMessage } from '../translate/message.ts';
import { type Me, personOf } from '../identity/people.ts';

export interface AcceptanceContext {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly me: () => Me;
  readonly clock: Clock;
}

const acceptedNow = ({ lidMapping, clock }: AcceptanceContext, pending: MessageRecord): MessageRecord => {
  // The recipient's devices may have been queried meanwhile, and the answer has both addresses.
  const known = pending.isGroup ? null : personOf(lidMapping.peek, pending.chat, pending.chatLid);
  return {
    ...pending,
    chatNumber: known?.number ?? pending.chatNumber,
    chatLid: known?.lid ?? pending.chatLid,
    // A receipt may have arrived without the ack.
    state: ['delivered', 'read', 'action'].includes(pending.state) ? pending.state : 'accepted',
    acceptedAt: clock.now(),
  };
};

const doneBy = async (
  { deviceId, messages, me, lidMapping, clock }: AcceptanceContext,
  { id, chat, content }: MessageRecord,
): Promise<SessionChanges> => {
  const key = { id, remoteJid: chat, fromMe: true };
  const now = clock.now();
  const stanza = stanzaOfInfo({ key, messageTimestamp: Math.floor(now / 1_000) }, me());
  const message = proto.Message.decode(content ?? new Uint8Array());
  const context = { me: me(), peek: lidMapping.peek, now };
  const update = contentOf(message);
  if (update.kind !== 'encryptedUpdate') return translateMessage(stanza, message, context);
  const original = await messages.find(deviceId, update.messageId, chat, true);
  const envelope = envelopeOf(stanza, context.me, context.peek, now);
  return original === null || envelope === null ? {} : changesOfSealed(original, { update, envelope, context });
};

const changesOf = async (context: AcceptanceContext, accepted: readonly MessageRecord[]): Promise<SessionChanges> => {
  const facts: Fact[] = [];
  const done: SessionChanges[] = [];
  for (const record of accepted) {
    const { id: messageId, chat, acceptedAt } = record;
    if (record.state !== 'action') facts.push({ accepted: record });
    else {
      const step = { state: 'accepted', at: acceptedAt! } as const;
      done.push({ messageChanges: [{ messageId, chat, step }] }, await doneBy(context, record));
    }
  }
  const changes = { facts, sent: facts.length };
  return done.length === 0 ? changes : joinChanges([changes, ...done]);
};

interface Acknowledged {
  readonly pending: MessageRecord;
  readonly resolve: (accepted: MessageRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** Acceptances by ack: those of one turn of the event loop, or during a write, share a transaction. */
export class Acceptances {
  readonly #context: AcceptanceContext;
  #waiting: Acknowledged[] = [];

  constructor(context: AcceptanceContext) {
    this.#context = context;
  }

  accept(pending: MessageRecord): Promise<MessageRecord> {
    const { promise, resolve, reject } = Promise.withResolvers<MessageRecord>();
    if (this.#waiting.push({ pending, resolve, reject }) === 1) process.nextTick(this.#write);
    return promise;
  }

  readonly #write = async (): Promise<void> => {
    const { deviceId, store, messages, memory } = this.#context;
    const release = await memory.acceptance.acquire();
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const accepted: MessageRecord[] = [];
      const told: Acknowledged['resolve'][] = [];
      for (const { pending, resolve } of waiting) {
        // A receipt may have arrived first.
        const receipted = memory.accepted.get(acceptedKey(pending.id, pending.chat)) !== undefined;
        const record = (receipted ? await messages.find(deviceId, pending.id, pending.chat, true) : null) ?? pending;
        if (record.acceptedAt === null) {
          accepted.push(acceptedNow(this.#context, record));
          told.push(resolve);
        } else resolve(record);
      }
      if (accepted.length > 0) await store.commit(deviceId, await changesOf(this.#context, accepted));
      for (const [index, record] of accepted.entries()) {
        memory.accepted.set(acceptedKey(record.id, record.chat), record.chat);
        told[index]!(record);
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      release();
    }
  };
}

/** Senders choose message ids, so an id is unique only within its chat. */
export const acceptedKey = (messageId: string, chat: Jid): string => `${messageId} ${chat}`;

/** `chatLid`: the chat's other name, under which the message may be stored. */
interface Named extends Pick<MessageChange, 'messageId' | 'chat'> {
  readonly place: { readonly chatLid: Jid | null };
}

const findByEither = async (
  { deviceId, messages }: AcceptanceContext,
  { messageId, chat, place: { chatLid } }: Named,
): Promise<MessageRecord | null> =>
  (await messages.find(deviceId, messageId, chat, true)) ??
  (chatLid === null || chatLid === chat ? null : messages.find(deviceId, messageId, chatLid, true));

/** Runs `commit` with the acceptances that receipts prove, and with the chats under which the messages are stored. */
export const withProven = async <S extends Named>(
  context: AcceptanceContext,
  steps: readonly S[],
  commit: (proven: SessionChanges, chats: ReadonlyMap<S, Jid>) => Promise<void>,
): Promise<void> => {
  const { memory } = context;
  const chats = new Map<S, Jid>();
  const open: S[] = [];
  for (const step of steps) {
    const chat = memory.accepted.get(acceptedKey(step.messageId, step.chat));
    if (chat === undefined) open.push(step);
    else chats.set(step, chat);
  }
  if (open.length === 0) return commit({}, chats);
  const release = await memory.acceptance.acquire();
  try {
    const found = new Map<string, MessageRecord>();
    const proven: MessageRecord[] = [];
    for (const step of open) {
      const key = acceptedKey(step.messageId, step.chat);
      let chat = memory.accepted.get(key) ?? found.get(key)?.chat;
      if (chat === undefined) {
        const record = await findByEither(context, step);
        if (record === null) continue;
        found.set(key, record);
        ({ chat } = record);
        if (record.state === 'action') memory.wordless.set(record.id, true);
        if (record.direction === 'out' && record.acceptedAt === null) proven.push(acceptedNow(context, record));
      }
      chats.set(step, chat);
    }
    await commit(proven.length === 0 ? {} : await changesOf(context, proven), chats);
    for (const [key, { id, chat }] of found) {
      memory.accepted.set(key, chat);
      memory.accepted.set(acceptedKey(id, chat), chat);
    }
  } finally {
    release();
  }
};
