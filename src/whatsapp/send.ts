/** Sends a message: stored as pending, sent, acknowledged by the network, and then stored as accepted. */
import { proto } from 'baileys';
import type { Clock } from '../domain/clock.ts';
import type { MessageRecord, OutgoingMessage, SentMessage } from '../domain/message.ts';
import type { MessageStore } from '../domain/stores.ts';
import { HandsetError, SendOutcomeUnknown } from '../errors.ts';
import type { Logger } from '../log.ts';
import { accept } from './acceptance.ts';
import { meOf } from './account.ts';
import type { DeviceMemory } from './device-memory.ts';
import type { Endpoint } from './endpoint.ts';
import type { Link } from './link.ts';
import { composeMessage } from './outgoing.ts';
import { awaitAck } from './server-ack.ts';
import type { SessionStore } from './session-store.ts';
import { contentOf } from './translate/content.ts';
import { type ChatRef, groupChat, myself, personChat, personOf } from './translate/people.ts';
import { mediaOf, type MediaUrl } from './translate/record.ts';

export interface SendContext {
  readonly deviceId: number;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly link: Link;
  readonly endpoint: Endpoint;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long the network may take to acknowledge; a request lasts 30 s at most (decisions.md, Errors). */
const ackTimeoutMs = 20_000;

const chatOf = async ({ link }: SendContext, { recipient }: OutgoingMessage): Promise<ChatRef> => {
  if (recipient.kind === 'group') return groupChat(recipient.jid);
  const { lidMapping } = link;
  await lidMapping.addressesOf(recipient.jid);
  return personChat(personOf((jid) => lidMapping.peek(jid), recipient.jid));
};

const pendingRecord = (
  { link, mediaUrl, clock }: SendContext,
  { id }: OutgoingMessage,
  chat: ChatRef,
  message: proto.IMessage,
): MessageRecord => {
  const me = myself(meOf(link.creds));
  const content = contentOf(message);
  if (content.kind !== 'message') throw new Error('An outgoing message says something');
  return {
    id,
    ...chat,
    direction: 'out',
    from: me.jid,
    fromNumber: me.number,
    fromLid: me.lid,
    pushName: null,
    type: content.type,
    text: content.text,
    quotedMessageId: content.quotedMessageId,
    media: content.media === null ? null : mediaOf(content.media, mediaUrl(id)),
    content: proto.Message.encode(message).finish(),
    state: 'pending',
    timestamp: clock.now(),
    acceptedAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    deletedAt: null,
  };
};

/** Stored before the first frame leaves: retry receipts are answered from it, and a crash leaves a trace. */
const storePending = async (context: SendContext, message: OutgoingMessage, chat: ChatRef): Promise<MessageRecord> => {
  const { sock } = context.link;
  const composed = await composeMessage({ ...context, sock }, message.content);
  const record = pendingRecord(context, message, chat, composed);
  await context.store.commit(context.deviceId, { messages: [record] });
  return record;
};

/** Sends what the record holds and waits for the acknowledgement. */
const transmit = async (
  { link }: SendContext,
  to: string,
  record: MessageRecord,
  onLeft: () => void,
): Promise<void> => {
  const { sock } = link;
  const ack = awaitAck(link, record.id, ackTimeoutMs);
  try {
    const message = proto.Message.decode(record.content ?? new Uint8Array());
    await Promise.race([sock.relayMessage(to, message, { messageId: record.id }), ack.acked]);
    onLeft();
    await ack.acked;
  } finally {
    ack.stop();
  }
};

const fail = async ({ deviceId, store, clock }: SendContext, record: MessageRecord): Promise<void> => {
  const step = { state: 'failed', at: clock.now() } as const;
  await store.commit(deviceId, { messageChanges: [{ messageId: record.id, chat: record.chat, step }] });
};

const failure = ({ content }: OutgoingMessage, cause: unknown): HandsetError =>
  content.kind === 'text'
    ? new HandsetError('SendFailed', 'Failed to send message', { cause })
    : new HandsetError('SendMediaFailed', 'Failed to send media message', { cause });

/** Throws SendFailed or SendMediaFailed; its cause is SendOutcomeUnknown when the network may have taken the message. */
export const sendMessage = async (
  context: SendContext,
  message: OutgoingMessage,
  onLeft: () => void,
): Promise<SentMessage> => {
  const { deviceId, messages, log } = context;
  try {
    const chat = await chatOf(context, message);
    const before = await messages.find(deviceId, message.id, chat.chat);
    // A repeat of what the network has taken already is no second message.
    if (before !== null && before.acceptedAt !== null) return { record: before };
    const record = before ?? (await storePending(context, message, chat));
    try {
      await transmit(context, message.recipient.jid, record, onLeft);
    } catch (error) {
      if (!(error instanceof SendOutcomeUnknown)) await fail(context, record);
      throw error;
    }
    return { record: await accept({ ...context, lidMapping: context.link.lidMapping }, record) };
  } catch (error) {
    log.warn({ deviceId, error: error instanceof Error ? error.message : 'unknown' }, 'a message was not sent');
    throw failure(message, error);
  }
};
