/** Sends a message: stored as pending, sent, acked by the network, and then stored as accepted. */
import { proto } from '../library/proto.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { FileContent } from '../../domain/messages/files.ts';
import type { AddressedMessage, OutgoingMessage, SentMessage } from '../../domain/messages/outgoing.ts';
import { HandsetError, isUnavailable, SendOutcomeUnknown } from '../../errors.ts';
import { meOf, type ChatRef, groupChat, personChat, personOf } from '../identity/people.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import { sendFailure } from './failure.ts';
import type { Session } from '../session.ts';
import { foundRecipient } from '../../domain/chats/recipient.ts';
import { jidUser, type Recipient } from '../../domain/jid.ts';
import { LeftTooLate, type OutboundMessage } from './outbox.ts';
import { type AckSaid, nothingSaid, SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import { compose, composeFile } from './compose.ts';
import { contentOf, partsOf, withNumbers } from '../translate/content.ts';
import { mediaOf } from '../translate/message.ts';
import { associatedIn, isViewOnce, secretIn } from '../translate/parts/decode.ts';

/** The record's content, translated like a received message; `action`: no content. */
const saidIn = ({ content }: OutgoingMessage, message: proto.Message, { lidMapping }: Session) => {
  if (content.kind === 'text' && content.preview === undefined && !message.extendedTextMessage?.contextInfo) {
    return { type: 'text', text: content.text, quotedMessageId: null, media: null, state: 'pending' } as const;
  }
  const said = contentOf(message);
  if (said.kind !== 'message') {
    return { type: 'system', text: null, quotedMessageId: null, media: null, state: 'action' } as const;
  }
  const { type, quotedMessageId, media } = said;
  const parts = { ...partsOf(said, lidMapping.peek), ...associatedIn(message) };
  const text = withNumbers(said.text, parts.mentions);
  const told = { type, text, quotedMessageId, media: media === null ? null : mediaOf(media) };
  return { ...told, ...(Object.keys(parts).length > 0 && { parts }), state: 'pending' } as const;
};

/** Throws if no media host takes its file, and InvalidRequest for what the chat does not allow. */
const newMessage = async (session: Session, outgoing: AddressedMessage, chat: ChatRef): Promise<OutboundMessage> => {
  const { id, recipient, content } = outgoing;
  const message = await compose(session, outgoing, chat);
  const { phone, lid } = meOf(session.creds);
  const record = {
    id,
    ...chat,
    direction: 'out' as const,
    from: phone,
    fromNumber: jidUser(phone),
    fromLid: lid,
    pushName: null,
    ...saidIn(outgoing, message, session),
    // The secret outlives the content, which is deleted once the network has accepted it.
    ...(content.kind !== 'text' && isViewOnce(message) && { viewOnce: true, secret: secretIn(message) }),
    content: proto.Message.encode(message).finish(),
    timestamp: session.clock.now(),
    acceptedAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
  if (record.state === 'action') session.memory.wordless.set(id, true);
  return { to: recipient.jid, message, record, stored: false };
};

const earlierMessage = ({ recipient }: AddressedMessage, before: MessageRecord): OutboundMessage => {
  const content = before.content ?? new Uint8Array();
  const record = { ...before, content };
  return { to: recipient.jid, message: proto.Message.decode(content), record, stored: true, isRepeat: true };
};

type Address = () => Promise<Recipient>;

/** Finds the chat, and the message: new, or as an earlier attempt left it. */
const prepare = async (session: Session, outgoing: OutgoingMessage, address: Address): Promise<OutboundMessage> => {
  const { deviceId, messages, lidMapping } = session;
  const message = { ...outgoing, recipient: await address() };
  const { kind, jid } = message.recipient;
  if (lidMapping.find(jid) === undefined) await lidMapping.addressesOf(jid);
  const chat = kind === 'group' ? groupChat(jid) : personChat(personOf(lidMapping.peek, jid));
  const { typing } = session.conversation;
  if (typing.shown.size > 0) typing.sent(chat.chat, chat.chatLid);
  const before = message.isRepeat === true ? await messages.find(deviceId, message.id, chat.chat) : null;
  if (before === null) return newMessage(session, message, chat);
  // A failed view-once message has lost its content.
  if (before.content === null && before.acceptedAt === null)
    return { ...(await newMessage(session, message, chat)), isRepeat: true };
  return earlierMessage(message, before);
};

const reachesNobody = ({ record }: OutboundMessage, cause: unknown): boolean =>
  cause instanceof NoSuchAccount ||
  (cause instanceof HandsetError && cause.reason === 'group_not_writable') ||
  (cause instanceof SendRefused && (cause.code === noSuchChat || (cause.code === notAMember && record.isGroup)));

/** Records the failure. A message that reaches nobody leaves nothing, unless an earlier attempt may have reached somebody. */
const markFailed = async (session: Session, outbound: OutboundMessage, cause: unknown): Promise<void> => {
  const { deviceId, store, clock } = session;
  const { record, stored, isRepeat = false } = outbound;
  if (!isRepeat && reachesNobody(outbound, cause)) {
    if (stored) await store.commit(deviceId, { withdrawn: [record] });
    return;
  }
  const step = { state: 'failed', at: clock.now() } as const;
  const { id: messageId, chat, viewOnce } = record;
  if (stored) {
    const change = { messageId, chat, step, ...(viewOnce && { isErased: true as const }) };
    await store.commit(deviceId, { messageChanges: [change] });
  } else {
    const state = record.state === 'action' ? record.state : step.state;
    const content = viewOnce ? null : record.content;
    await store.commit(deviceId, { messages: [{ ...record, content, state, failedAt: step.at }] });
  }
};

interface Attempt {
  readonly outbound: OutboundMessage;
  readonly failure: unknown;
  readonly said: AckSaid | null;
}

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

/** The network has the message: later failures must not report it as unsent. If the device has moved, its new node is asked. */
const failedToWrite = (cause: unknown): never => {
  if (cause instanceof LeaseLost) throw cause;
  throw new SendOutcomeUnknown('the network has taken it, which could not be written', { cause });
};

/** Retries a refusal once, under the same id, where that may help. */
export const sendMessage = async (
  session: Session,
  message: OutgoingMessage,
  address: Address = async () => foundRecipient(message.recipient),
): Promise<SentMessage> => {
  const { reactions, acceptances } = session;
  try {
    const preparing = prepare(session, message, address);
    const first = await attempt(session, preparing, message.until);
    const { outbound } = first;
    const again = first.failure instanceof SendRefused && reactions.refused(outbound, first.failure);
    const last = again ? await attempt(session, preparing, message.until) : first;
    if (last.said === null) {
      // If both attempts fail, the first failure is thrown, since the second was a guess; unless the second may have been sent.
      const isOpen = last.failure instanceof SendOutcomeUnknown || isUnavailable(last.failure);
      const failure = isOpen ? last.failure : first.failure;
      if (!isOpen && !(failure instanceof LeftTooLate)) await markFailed(session, outbound, failure);
      throw failure;
    }
    reactions.taken(outbound, last.said);
    const { record } = outbound;
    return { record: record.acceptedAt === null ? await acceptances.accept(record).catch(failedToWrite) : record };
  } catch (error) {
    throw await sendFailure(session, message, error);
  }
};

export const uploadContent = async (
  session: Session,
  content: FileContent,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> => {
  try {
    return proto.Message.encode(await composeFile(session, content, signal)).finish();
  } catch (cause) {
    if (cause instanceof LeaseLost || cause instanceof HandsetError) throw cause;
    throw new HandsetError('SendMediaFailed', 'Failed to send media message', { cause });
  }
};
