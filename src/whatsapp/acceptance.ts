/**
 * That the network has accepted a message: told by its acknowledgement or, when that was lost with a connection or a
 * process, by the first receipt. Either way it is written once: state, count and `message.sent` in one transaction.
 */
import type { SessionChanges } from '../domain/changes.ts';
import type { Clock } from '../domain/clock.ts';
import type { MessageChange, MessageRecord } from '../domain/message.ts';
import type { MessageStore } from '../domain/stores.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { SessionStore } from './session-store.ts';
import type { LidMapping } from './signal/lid-mapping.ts';
import { personOf } from './translate/people.ts';
import { sentEvent } from './translate/record.ts';

export interface AcceptanceContext {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly clock: Clock;
}

/** A receipt came though the network's acknowledgement did not. */
const hasArrived = ({ state }: MessageRecord): boolean => state === 'delivered' || state === 'read';

const acceptedNow = ({ lidMapping, clock }: AcceptanceContext, pending: MessageRecord): MessageRecord => {
  // The devices of the recipient were asked for meanwhile, and both addresses came with the answer.
  const known = pending.isGroup ? null : personOf((jid) => lidMapping.peek(jid), pending.chat, pending.chatLid);
  return {
    ...pending,
    chatNumber: known?.number ?? pending.chatNumber,
    chatLid: known?.lid ?? pending.chatLid,
    state: hasArrived(pending) ? pending.state : 'accepted',
    acceptedAt: clock.now(),
  };
};

const changesOf = (accepted: readonly MessageRecord[]): SessionChanges => ({
  messageChanges: accepted.map(({ id, chat, acceptedAt }) => ({
    messageId: id,
    chat,
    step: { state: 'accepted', at: acceptedAt! },
  })),
  events: accepted.map((record) => sentEvent(record, 'api', record.acceptedAt!)),
  sent: accepted.length,
});

/** After the network's acknowledgement. */
export const accept = async (context: AcceptanceContext, pending: MessageRecord): Promise<MessageRecord> => {
  const { deviceId, store, messages, memory } = context;
  const release = await memory.acceptance.acquire([pending.id]);
  try {
    // A receipt may have been faster.
    const receipted = memory.accepted.get(pending.id) !== undefined;
    const record = (receipted ? await messages.find(deviceId, pending.id, pending.chat, true) : null) ?? pending;
    if (record.acceptedAt !== null) return record;
    const accepted = acceptedNow(context, record);
    await store.commit(deviceId, changesOf([accepted]));
    memory.accepted.set(pending.id, true);
    return accepted;
  } finally {
    release();
  }
};

/** Runs `commit` with what a receipt proves of messages whose acknowledgement is not written. */
export const withProven = async (
  context: AcceptanceContext,
  steps: readonly MessageChange[],
  commit: (proven: SessionChanges) => Promise<void>,
): Promise<void> => {
  const { deviceId, messages, memory } = context;
  const open = steps.filter(({ messageId }) => memory.accepted.get(messageId) === undefined);
  if (open.length === 0) return commit({});
  const release = await memory.acceptance.acquire(open.map(({ messageId }) => messageId));
  try {
    const proven: MessageRecord[] = [];
    const known: string[] = [];
    for (const { messageId, chat } of open) {
      // Whoever held the lock before has written it.
      if (memory.accepted.get(messageId) !== undefined) continue;
      const record = await messages.find(deviceId, messageId, chat, true);
      if (record !== null) known.push(messageId);
      if (record?.direction === 'out' && record.acceptedAt === null) proven.push(acceptedNow(context, record));
    }
    await commit(proven.length === 0 ? {} : changesOf(proven));
    for (const messageId of known) memory.accepted.set(messageId, true);
  } finally {
    release();
  }
};
