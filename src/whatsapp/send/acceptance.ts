/**
 * Records that the network has accepted a message: after its acknowledgement or, when that was lost with a connection or a
 * process, after the first receipt. Either way it is written once: state, count and `message.sent` in one transaction.
 */
import type { SessionChanges } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { NewEvent } from '../../domain/event.ts';
import type { Jid } from '../../domain/jid.ts';
import type { MessageChange, MessageRecord } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import type { SessionStore } from '../login/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { personOf } from '../translate/people.ts';
import { sentEvent } from '../translate/record.ts';

export interface AcceptanceContext {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly clock: Clock;
}

const acceptedNow = ({ lidMapping, clock }: AcceptanceContext, pending: MessageRecord): MessageRecord => {
  // The devices of the recipient were asked for meanwhile, and both addresses came with the answer.
  const known = pending.isGroup ? null : personOf(lidMapping.peek, pending.chat, pending.chatLid);
  return {
    ...pending,
    chatNumber: known?.number ?? pending.chatNumber,
    chatLid: known?.lid ?? pending.chatLid,
    // A receipt may have come though the network's acknowledgement did not.
    state: pending.state === 'delivered' || pending.state === 'read' ? pending.state : 'accepted',
    acceptedAt: clock.now(),
  };
};

const changesOf = (accepted: readonly MessageRecord[]): SessionChanges => {
  const messageChanges: MessageChange[] = [];
  const events: NewEvent[] = [];
  for (const record of accepted) {
    const at = record.acceptedAt!;
    messageChanges.push({ messageId: record.id, chat: record.chat, step: { state: 'accepted', at } });
    events.push(sentEvent(record, 'api', at));
  }
  return { messageChanges, events, sent: accepted.length };
};

interface Acknowledged {
  readonly pending: MessageRecord;
  readonly resolve: (accepted: MessageRecord) => void;
  readonly reject: (error: unknown) => void;
}

/** Acceptances after the network's acknowledgement: those that come in one turn of the event loop, or while others are written, share a transaction. */
export class Acceptances {
  readonly #context: AcceptanceContext;
  #waiting: Acknowledged[] = [];

  constructor(context: AcceptanceContext) {
    this.#context = context;
  }

  /** Resolves when the acceptance is stored. */
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
        // A receipt may have been faster.
        const receipted = memory.accepted.get(acceptedKey(pending.id, pending.chat)) !== undefined;
        const record = (receipted ? await messages.find(deviceId, pending.id, pending.chat, true) : null) ?? pending;
        if (record.acceptedAt === null) {
          accepted.push(acceptedNow(this.#context, record));
          told.push(resolve);
        } else resolve(record);
      }
      if (accepted.length > 0) await store.commit(deviceId, changesOf(accepted));
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

/** `chatLid`: the other name of the chat; a message may be stored under it, when the phone number was learned since. */
interface Named extends Pick<MessageChange, 'messageId' | 'chat'> {
  readonly place: { readonly chatLid: Jid | null };
}

/** The chat under which the message of a step is stored; null for a message that is not here. */
export type StoredChat = (step: Named) => Jid | null;

const findByEither = async (
  { deviceId, messages }: AcceptanceContext,
  { messageId, chat, place: { chatLid } }: Named,
): Promise<MessageRecord | null> =>
  (await messages.find(deviceId, messageId, chat, true)) ??
  (chatLid === null || chatLid === chat ? null : messages.find(deviceId, messageId, chatLid, true));

/** Runs `commit` with what a receipt proves of messages whose acknowledgement is not written, and with what is known of all. */
export const withProven = async (
  context: AcceptanceContext,
  steps: readonly Named[],
  commit: (proven: SessionChanges, storedChat: StoredChat) => Promise<void>,
): Promise<void> => {
  const { memory } = context;
  const keyOf = ({ messageId, chat }: Named): string => acceptedKey(messageId, chat);
  const open = steps.filter((step) => memory.accepted.get(keyOf(step)) === undefined);
  const found = new Map<string, MessageRecord>();
  const storedChat: StoredChat = (step) => memory.accepted.get(keyOf(step)) ?? found.get(keyOf(step))?.chat ?? null;
  if (open.length === 0) return commit({}, storedChat);
  const release = await memory.acceptance.acquire();
  try {
    const proven: MessageRecord[] = [];
    for (const step of open) {
      // Whoever held the lock before has written it.
      if (memory.accepted.get(keyOf(step)) !== undefined || found.has(keyOf(step))) continue;
      const record = await findByEither(context, step);
      if (record !== null) found.set(keyOf(step), record);
      if (record?.direction === 'out' && record.acceptedAt === null) proven.push(acceptedNow(context, record));
    }
    await commit(proven.length === 0 ? {} : changesOf(proven), storedChat);
    for (const [key, { id, chat }] of found) {
      memory.accepted.set(key, chat);
      memory.accepted.set(acceptedKey(id, chat), chat);
    }
  } finally {
    release();
  }
};
