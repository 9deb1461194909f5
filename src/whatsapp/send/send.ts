/** Sends a message: stored as pending, sent, acknowledged by the network, and then stored as accepted. */
import { proto } from '../engine/proto.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { OutgoingMessage, SentMessage } from '../../domain/messages/outgoing.ts';
import { isUnavailable, SendOutcomeUnknown } from '../../errors.ts';
import { meOf } from '../identity/account.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import { sendFailure } from './failure.ts';
import type { Session } from '../session.ts';
import { jidUser, type Recipient } from '../../domain/jid.ts';
import { LeftTooLate, type OutboundMessage } from './outbox.ts';
import { type AckSaid, nothingSaid, SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import { compose } from './compose.ts';
import { contentOf, partsOf } from '../translate/content.ts';
import { type ChatRef, groupChat, personChat, personOf } from '../identity/people.ts';
import { mediaOf, withNumbers } from '../translate/record.ts';

/** The content in a record, read as that of a received message; `action`: nothing was said. */
const saidIn = ({ content }: OutgoingMessage, message: proto.Message, { lidMapping }: Session) => {
  if (content.kind === 'text' && content.preview === undefined && !message.extendedTextMessage?.contextInfo) {
    return { type: 'text', text: content.text, quotedMessageId: null, media: null, state: 'pending' } as const;
  }
  const said = contentOf(message);
  if (said.kind !== 'message') {
    return { type: 'system', text: null, quotedMessageId: null, media: null, state: 'action' } as const;
  }
  const { type, quotedMessageId, media } = said;
  const parts = partsOf(said, lidMapping.peek);
  const text = withNumbers(said.text, parts?.mentions);
  const told = { type, text, quotedMessageId, media: media === null ? null : mediaOf(media) };
  return { ...told, ...(parts === undefined ? {} : { parts }), state: 'pending' } as const;
};

/** A new message, composed. Throws when no media host takes its image, and InvalidRequest for what the chat does not allow. */
const newMessage = async (link: Session, outgoing: OutgoingMessage, chat: ChatRef): Promise<OutboundMessage> => {
  const { id, recipient } = outgoing;
  const message = await compose(link, outgoing, chat);
  const { phone, lid } = meOf(link.creds);
  const record = {
    id,
    ...chat,
    direction: 'out' as const,
    from: phone,
    fromNumber: jidUser(phone),
    fromLid: lid,
    pushName: null,
    ...saidIn(outgoing, message, link),
    content: proto.Message.encode(message).finish(),
    timestamp: link.clock.now(),
    acceptedAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
  // Its receipts would tell of a message that nobody has seen.
  if (record.state === 'action') link.memory.wordless.set(id, true);
  return { to: recipient.jid, message, record, stored: false };
};

/** The message of an earlier attempt, as it was then. */
const earlierMessage = ({ recipient }: OutgoingMessage, before: MessageRecord): OutboundMessage => {
  const content = before.content ?? new Uint8Array();
  const record = { ...before, content };
  return { to: recipient.jid, message: proto.Message.decode(content), record, stored: true, isRepeat: true };
};

/** Finds the account behind a recipient. */
type Address = () => Promise<Recipient>;

/** Finds the chat, and what the message is in it: new, or as an earlier attempt left it. */
const prepare = async (link: Session, outgoing: OutgoingMessage, address: Address): Promise<OutboundMessage> => {
  const { deviceId, messages, lidMapping } = link;
  const message = { ...outgoing, recipient: await address() };
  const { kind, jid } = message.recipient;
  if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
  const chat = kind === 'group' ? groupChat(jid) : personChat(personOf(lidMapping.peek, jid));
  const { typing } = link.conversation;
  if (typing.shown.size > 0) typing.sent(chat.chat, chat.chatLid);
  const before = message.isRepeat === true ? await messages.find(deviceId, message.id, chat.chat) : null;
  return before === null ? newMessage(link, message, chat) : earlierMessage(message, before);
};

/** The network knows no such account or group, or the account is not in the group. */
const reachesNobody = ({ record }: OutboundMessage, cause: unknown): boolean =>
  cause instanceof NoSuchAccount ||
  (cause instanceof SendRefused && (cause.code === noSuchChat || (cause.code === notAMember && record.isGroup)));

/** Records the failure. A message that reaches nobody leaves nothing, unless an earlier attempt may have reached somebody. */
const markFailed = async (link: Session, outbound: OutboundMessage, cause: unknown): Promise<void> => {
  const { deviceId, store, clock } = link;
  const { record, stored, isRepeat = false } = outbound;
  if (!isRepeat && reachesNobody(outbound, cause)) {
    if (stored) await store.commit(deviceId, { withdrawn: [record] });
    return;
  }
  const step = { state: 'failed', at: clock.now() } as const;
  if (stored) await store.commit(deviceId, { messageChanges: [{ messageId: record.id, chat: record.chat, step }] });
  else {
    const state = record.state === 'action' ? record.state : step.state;
    await store.commit(deviceId, { messages: [{ ...record, state, failedAt: step.at }] });
  }
};

interface Attempt {
  readonly outbound: OutboundMessage;
  readonly failure: unknown;
  readonly said: AckSaid | null;
}

/** Hands the message to the outbox, in whose order it leaves, and waits for the acknowledgement. */
const attempt = async (
  { outbox, acks }: Session,
  preparing: Promise<OutboundMessage>,
  until: number | undefined,
): Promise<Attempt> => {
  const left = outbox.post(preparing, until);
  left.catch(() => {}); // if it cannot be prepared, `preparing` rejects below
  const outbound = await preparing;
  if (outbound.record.acceptedAt !== null) return { outbound, failure: null, said: nothingSaid };
  try {
    return { outbound, failure: null, said: await acks.wait(outbound.record.id, left) };
  } catch (failure) {
    return { outbound, failure, said: null };
  }
};

/** A message that the network refuses is sent once more where that may help, under the same id. */
const transmit = async (
  link: Session,
  preparing: Promise<OutboundMessage>,
  until: number | undefined,
): Promise<MessageRecord> => {
  const { reactions } = link;
  const first = await attempt(link, preparing, until);
  const { outbound } = first;
  const again = first.failure instanceof SendRefused && reactions.refused(outbound, first.failure);
  const last = again ? await attempt(link, preparing, until) : first;
  if (last.said !== null) {
    reactions.taken(outbound, last.said);
    return outbound.record;
  }
  // If both attempts fail, the first failure is thrown, since the second attempt was a guess; unless the second may have been sent.
  const isOpen = last.failure instanceof SendOutcomeUnknown || isUnavailable(last.failure);
  const failure = isOpen ? last.failure : first.failure;
  if (!isOpen && !(failure instanceof LeftTooLate)) await markFailed(link, outbound, failure);
  throw failure;
};

/** The network has it: what fails from here on must not pass for a message that was not sent. A device that has moved is asked where it is now. */
const failedToWrite = (cause: unknown): never => {
  if (cause instanceof LeaseLost) throw cause;
  throw new SendOutcomeUnknown('the network has taken it, which could not be written', { cause });
};

/** See `NetworkSession.send`. */
export const sendMessage = async (
  link: Session,
  message: OutgoingMessage,
  address: Address = async () => message.recipient,
): Promise<SentMessage> => {
  try {
    const record = await transmit(link, prepare(link, message, address), message.until);
    if (record.acceptedAt !== null) return { record };
    return { record: await link.acceptances.accept(record).catch(failedToWrite) };
  } catch (error) {
    throw await sendFailure(link, message, error);
  }
};
