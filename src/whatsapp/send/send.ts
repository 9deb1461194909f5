/** Sends a message: stored as pending, sent, acknowledged by the network, and then stored as accepted. */
import { proto } from '../engine/proto.ts';
import type { Clock } from '../../domain/clock.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { MessageRecord, OutgoingMessage, SentMessage } from '../../domain/message.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { HandsetError, isUnavailable, SendOutcomeUnknown } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { accept } from './acceptance.ts';
import { meOf } from '../login/account.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import type { Endpoint } from '../login/endpoint.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import { limitRefusal } from './limit-refusal.ts';
import type { Link } from '../login/link.ts';
import { type Composed, composeMessage } from './outgoing.ts';
import type { OutboundMessage } from './outbox.ts';
import { type AckSaid, SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import type { SessionStore } from '../login/session-store.ts';
import { mediaPartOf } from '../translate/media.ts';
import { type ChatRef, groupChat, myself, personChat, personOf } from '../translate/people.ts';
import { mediaOf, type MediaUrl } from '../translate/record.ts';

export interface SendContext {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly link: Link;
  readonly endpoint: Endpoint;
  readonly mediaUrl: MediaUrl;
  /** Whether the id was made in this process and was never tried: then no store knows it. */
  readonly isNew: (messageId: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const chatOf = async ({ link }: SendContext, { recipient }: OutgoingMessage): Promise<ChatRef> => {
  if (recipient.kind === 'group') return groupChat(recipient.jid);
  const { lidMapping } = link;
  if (!lidMapping.hasAt(recipient.jid)) await lidMapping.addressesOf(recipient.jid);
  return personChat(personOf((jid) => lidMapping.peek(jid), recipient.jid));
};

const pendingRecord = (
  { link, mediaUrl, clock }: SendContext,
  outgoing: OutgoingMessage,
  chat: ChatRef,
  { message, bytes }: Composed,
): OutboundMessage['record'] => {
  const { id } = outgoing;
  const me = myself(meOf(link.creds));
  const { content } = outgoing;
  const media = content.kind === 'image' ? mediaPartOf(message) : null;
  return {
    id,
    ...chat,
    direction: 'out',
    from: me.jid,
    fromNumber: me.number,
    fromLid: me.lid,
    pushName: null,
    type: content.kind,
    text: (content.kind === 'image' ? content.image.caption : content.text) || null,
    quotedMessageId: null,
    media: media === null ? null : mediaOf(media, mediaUrl(id)),
    content: bytes,
    state: 'pending',
    timestamp: clock.now(),
    acceptedAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
};

const newMessage = async (context: SendContext, outgoing: OutgoingMessage, chat: ChatRef): Promise<OutboundMessage> => {
  const { sock, uploads } = context.link;
  const composed = await composeMessage({ ...context, sock, uploads }, outgoing.content);
  const record = pendingRecord(context, outgoing, chat, composed);
  return { to: outgoing.recipient.jid, message: composed.message, record, stored: false };
};

/** The message of an earlier attempt, as it was then. */
const earlierMessage = ({ recipient }: OutgoingMessage, before: MessageRecord): OutboundMessage => {
  const content = before.content ?? new Uint8Array();
  return { to: recipient.jid, message: proto.Message.decode(content), record: { ...before, content }, stored: true };
};

const markFailed = async (
  { deviceId, store, clock }: SendContext,
  { record, stored }: OutboundMessage,
): Promise<void> => {
  const step = { state: 'failed', at: clock.now() } as const;
  if (stored) await store.commit(deviceId, { messageChanges: [{ messageId: record.id, chat: record.chat, step }] });
  else await store.commit(deviceId, { messages: [{ ...record, state: step.state, failedAt: step.at }] });
};

interface Attempt {
  readonly outbound: OutboundMessage;
  readonly failure: unknown;
  readonly said: AckSaid | null;
}

/** Hands the message to the outbox and waits for the acknowledgement; calls `onTaken` once it is queued. */
const attempt = async (
  { link: { outbox, acks } }: SendContext,
  composing: Promise<OutboundMessage>,
  onTaken: () => void,
): Promise<Attempt> => {
  const composed = composing.then((outbound) => ({ outbound, ack: acks.wait(outbound.record.id) }));
  const left = outbox.post(composed.then(({ outbound }) => outbound));
  left.catch(() => {}); // when it cannot be composed, `composed` rejects below
  onTaken();
  const { outbound, ack } = await composed;
  left.catch(ack.fail);
  try {
    return { outbound, failure: null, said: await ack.acked };
  } catch (failure) {
    return { outbound, failure, said: null };
  } finally {
    ack.stop();
  }
};

/** Sends the message and waits for the acknowledgement. A message that the network refuses is sent once more where that may help, under the same id. */
const transmit = async (
  context: SendContext,
  composing: Promise<OutboundMessage>,
  onTaken: () => void,
): Promise<OutboundMessage> => {
  const { reactions } = context.link;
  const first = await attempt(context, composing, onTaken);
  const { outbound } = first;
  const again = first.failure instanceof SendRefused && reactions.refused(outbound, first.failure);
  const last = again ? await attempt(context, Promise.resolve(outbound), () => {}) : first;
  if (last.said !== null) {
    reactions.taken(outbound, last.said);
    return outbound;
  }
  // If both attempts fail, the first failure is thrown, since the second attempt was a guess; unless the second may have been sent.
  const isOpen = last.failure instanceof SendOutcomeUnknown || isUnavailable(last.failure);
  const failure = isOpen ? last.failure : first.failure;
  if (!isOpen) await markFailed(context, outbound);
  throw failure;
};

/** `words`: why, where a person can do something about it. */
const failure = ({ content, recipient }: OutgoingMessage, cause: unknown, words: string | null): HandsetError => {
  if (isUnavailable(cause)) return cause;
  if (cause instanceof NoSuchAccount || (cause instanceof SendRefused && cause.code === noSuchChat)) {
    const member = recipient.kind === 'number' ? 'toNumber' : 'to';
    const what = recipient.kind === 'group' ? 'group' : 'account';
    return new HandsetError('InvalidRequest', `${member} is not on the network: there is no such ${what}`, { cause });
  }
  if (cause instanceof SendRefused && cause.code === notAMember && recipient.kind === 'group') {
    return new HandsetError('InvalidRequest', 'to cannot be written to: the account is not in this group', { cause });
  }
  const why = words === null ? '' : `: ${words}`;
  return content.kind === 'text'
    ? new HandsetError('SendFailed', `Failed to send message${why}`, { cause })
    : new HandsetError('SendMediaFailed', `Failed to send media message${why}`, { cause });
};

/** The network has it: what fails from here on must not pass for a message that was not sent. A device that has moved is asked where it is now. */
const acceptSent = async (context: SendContext, record: MessageRecord): Promise<MessageRecord> => {
  try {
    return await accept({ ...context, lidMapping: context.link.lidMapping }, record);
  } catch (cause) {
    if (cause instanceof LeaseLost) throw cause;
    throw new SendOutcomeUnknown('the network has taken it, which could not be written', { cause });
  }
};

/** Throws SendFailed, SendMediaFailed, or InvalidRequest for a chat that does not exist; its cause is SendOutcomeUnknown when the network may have taken the message. */
export const sendMessage = async (
  context: SendContext,
  message: OutgoingMessage,
  onTaken: () => void,
): Promise<SentMessage> => {
  const { deviceId, messages, isNew, log } = context;
  try {
    const chat = await chatOf(context, message);
    const before = isNew(message.id) ? null : await messages.find(deviceId, message.id, chat.chat);
    // A repeat of what the network has taken already is no second message.
    if (before !== null && before.acceptedAt !== null) return { record: before };
    const composing =
      before === null ? newMessage(context, message, chat) : Promise.resolve(earlierMessage(message, before));
    const { record } = await transmit(context, composing, onTaken);
    return { record: await acceptSent(context, record) };
  } catch (error) {
    log.warn({ deviceId, error: error instanceof Error ? error.message : 'unknown' }, 'a message was not sent');
    throw failure(message, error, await limitRefusal(context.link, context.clock, error));
  }
};
