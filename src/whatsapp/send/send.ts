/** Sends a message: stored as pending, sent, acknowledged by the network, and then stored as accepted. */
import { proto } from '../engine/proto.ts';
import { isAdministrator } from '../../domain/groups/changes.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { isMedia, type OutgoingMessage, type SentMessage } from '../../domain/messages/outgoing.ts';
import { HandsetError, type HandsetErrorOptions, isUnavailable, SendOutcomeUnknown } from '../../errors.ts';
import { meOf } from '../identity/account.ts';
import { NoSuchAccount } from '../identity/addressing.ts';
import { limitRefusal } from './limit-refusal.ts';
import type { Link } from '../link.ts';
import { jidUser } from '../../domain/jid.ts';
import type { OutboundMessage } from './outbox.ts';
import { type AckSaid, SendRefused, noSuchChat, notAMember } from './server-ack.ts';
import { compose } from './compose.ts';
import { contentOf, partsOf } from '../translate/content.ts';
import { type ChatRef, groupChat, myself, personChat, personOf } from '../identity/people.ts';
import { mediaOf, withNumbers } from '../translate/record.ts';

/** The content in a record, read as that of a received message; `action`: nothing was said. */
const saidIn = ({ content }: OutgoingMessage, message: proto.Message, { lidMapping }: Link) => {
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
const newMessage = async (link: Link, outgoing: OutgoingMessage, chat: ChatRef): Promise<OutboundMessage> => {
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
  return { to: recipient.jid, message: proto.Message.decode(content), record: { ...before, content }, stored: true };
};

/** The network knows no such account or group, or the account is not in the group. */
const reachesNobody = ({ record }: OutboundMessage, cause: unknown): boolean =>
  cause instanceof NoSuchAccount ||
  (cause instanceof SendRefused && (cause.code === noSuchChat || (cause.code === notAMember && record.isGroup)));

/** Records the failure. A message that reaches nobody leaves nothing, unless an earlier attempt may have reached somebody. */
const markFailed = async (link: Link, outbound: OutboundMessage, isRepeat: boolean, cause: unknown): Promise<void> => {
  const { deviceId, store, clock } = link;
  const { record, stored } = outbound;
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

/** Hands the message to the outbox and waits for the acknowledgement; calls `onTaken` once it is queued. */
const attempt = async (
  { outbox, acks }: Link,
  composing: Promise<OutboundMessage>,
  onTaken: () => void,
): Promise<Attempt> => {
  const left = outbox.post(composing);
  left.catch(() => {}); // when it cannot be composed, `composing` rejects below
  onTaken();
  const outbound = await composing;
  try {
    return { outbound, failure: null, said: await acks.wait(outbound.record.id, left) };
  } catch (failure) {
    return { outbound, failure, said: null };
  }
};

/** Sends the message and waits for the acknowledgement. A message that the network refuses is sent once more where that may help, under the same id. */
const transmit = async (
  link: Link,
  composing: Promise<OutboundMessage>,
  isRepeat: boolean,
  onTaken: () => void,
): Promise<OutboundMessage> => {
  const { reactions } = link;
  const first = await attempt(link, composing, onTaken);
  const { outbound } = first;
  const again = first.failure instanceof SendRefused && reactions.refused(outbound, first.failure);
  const last = again ? await attempt(link, Promise.resolve(outbound), () => {}) : first;
  if (last.said !== null) {
    reactions.taken(outbound, last.said);
    return outbound;
  }
  // If both attempts fail, the first failure is thrown, since the second attempt was a guess; unless the second may have been sent.
  const isOpen = last.failure instanceof SendOutcomeUnknown || isUnavailable(last.failure);
  const failure = isOpen ? last.failure : first.failure;
  if (!isOpen) await markFailed(link, outbound, isRepeat, failure);
  throw failure;
};

/** Longer than any client waits by itself: each further attempt makes a restriction more likely. */
const refusedSeconds = 600;

/** `words`: why, where a person can do something about it. */
const failure = ({ content, recipient }: OutgoingMessage, cause: unknown, words: string | null): HandsetError => {
  if (isUnavailable(cause)) return cause;
  if (cause instanceof HandsetError && (cause.name === 'InvalidRequest' || cause.name === 'SendMediaFailed'))
    return cause;
  if (cause instanceof NoSuchAccount || (cause instanceof SendRefused && cause.code === noSuchChat)) {
    const member = recipient.kind === 'number' ? 'toNumber' : 'to';
    const what = recipient.kind === 'group' ? 'group' : 'account';
    const reason = recipient.kind === 'number' ? 'number_not_on_network' : 'account_not_on_network';
    const why = `${member} is not on the network: there is no such ${what}`;
    return new HandsetError('InvalidRequest', why, { cause, reason });
  }
  if (cause instanceof SendRefused && cause.code === notAMember && recipient.kind === 'group') {
    return new HandsetError('InvalidRequest', 'to cannot be written to: the account is not in this group', {
      cause,
      reason: 'group_not_writable',
    });
  }
  const why = words === null ? '' : `: ${words}`;
  const options: HandsetErrorOptions =
    words === null ? { cause } : { cause, retryAfterSeconds: refusedSeconds, reason: 'refused_by_network' };
  return isMedia(content)
    ? new HandsetError('SendMediaFailed', `Failed to send media message${why}`, options)
    : new HandsetError('SendFailed', `Failed to send message${why}`, options);
};

/** The code with which a group refuses the account as it is (whatsmeow #380, 2023-04: reported of groups, without its cause). */
const notAllowedInGroup = '420';

/** InvalidRequest where the group lets its administrators alone write. Asks the network, for a notice of that may be on its way. */
const groupRefusal = async (
  { groupKeeper, creds }: Link,
  { recipient: { kind, jid } }: OutgoingMessage,
  cause: unknown,
): Promise<unknown> => {
  if (kind !== 'group' || !(cause instanceof SendRefused) || cause.code !== notAllowedInGroup) return cause;
  const group = await groupKeeper.current(jid, true).catch(() => null);
  if (group?.announceOnly !== true || isAdministrator(group, myself(meOf(creds)))) return cause;
  const words = 'to cannot be written to: only administrators write in this group';
  return new HandsetError('InvalidRequest', words, { cause, reason: 'group_not_writable' });
};

/** Throws SendFailed, SendMediaFailed, or InvalidRequest for a chat that does not exist, or that the account may not write to; its cause is SendOutcomeUnknown when the network may have taken the message. */
export const sendMessage = async (link: Link, message: OutgoingMessage, onTaken: () => void): Promise<SentMessage> => {
  const { deviceId, messages, lidMapping, isNew, log } = link;
  const { id, recipient } = message;
  try {
    if (lidMapping.find(recipient.jid) === undefined) await lidMapping.addressesOf(recipient.jid);
    const chat =
      recipient.kind === 'group' ? groupChat(recipient.jid) : personChat(personOf(lidMapping.peek, recipient.jid));
    const { typing } = link.conversation;
    if (typing.shown.size > 0) typing.sent(chat.chat, chat.chatLid);
    const before = isNew(id) ? null : await messages.find(deviceId, id, chat.chat);
    // A repeat of what the network has taken already is no second message.
    if (before !== null && before.acceptedAt !== null) return { record: before };
    const composing =
      before === null ? newMessage(link, message, chat) : Promise.resolve(earlierMessage(message, before));
    const { record } = await transmit(link, composing, before !== null, onTaken);
    return { record: await link.acceptances.accept(record).catch(failedToWrite) };
  } catch (error) {
    log.warn({ deviceId, error: error instanceof Error ? error.message : 'unknown' }, 'a message was not sent');
    throw failure(message, await groupRefusal(link, message, error), await limitRefusal(link, link.clock, error));
  }
};

/** The network has it: what fails from here on must not pass for a message that was not sent. A device that has moved is asked where it is now. */
const failedToWrite = (cause: unknown): never => {
  if (cause instanceof LeaseLost) throw cause;
  throw new SendOutcomeUnknown('the network has taken it, which could not be written', { cause });
};
