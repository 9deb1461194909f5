/** Sends one due message like any other send, and reports those that can no longer be sent. */
import { type Jid, jidUser, type Recipient } from '../../domain/jid.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { MessageType } from '../../domain/messages/parts.ts';
import type { ScheduledContent, ScheduledMessage } from '../../domain/messages/scheduled.ts';
import { permits, reaches } from '../../domain/user.ts';
import { HandsetError } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { forward } from '../sending/actions.ts';
import type { FileSource } from '../sending/files.ts';
import type { Sending } from '../sending/sending.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { Deadline } from '../users/admission.ts';
import { itemsOf } from './albums.ts';

type Parts = Pick<LiveParts, 'stores' | 'scopes' | 'clock'>;

/** Time for a file to be fetched, converted and uploaded. */
const maxMs = 600_000;

const refusal = async (
  { stores, clock }: Parts,
  { userId }: DeviceRuntime,
  { keyId, deviceId, sendUntil }: ScheduledMessage,
): Promise<string | null> => {
  if (clock.now() >= sendUntil) return 'The message could not be sent in time';
  if (keyId === null) return null;
  const key = (await stores.users.listKeys(userId)).find(({ id }) => id === keyId);
  const isValid = key !== undefined && key.revokedAt === null && (key.expiresAt ?? Infinity) > clock.now();
  if (!isValid) return 'The API key that scheduled the message is no longer valid';
  if (!permits(key, 'send') || !reaches(key, deviceId))
    return 'The API key that scheduled the message may no longer send by this device';
  return null;
};

const tooLate = (): HandsetError => new HandsetError('RequestTimeout', 'The message took too long to be sent');

const send = async ({ stores, scopes, clock }: Parts, sending: Sending, message: ScheduledMessage, userId: number) => {
  const { deviceId, messageId, isLeaving, body } = message;
  const { content, ...about } = body;
  const scope = scopes.of({ id: deviceId, userId }, { kind: 'service' });
  const attempt = { messageId, isRepeat: isLeaving };
  const deadline = new Deadline(clock, maxMs, null, tooLate);
  try {
    if (content.kind === 'forward') {
      const { messageId: id, chat } = content;
      const action = { messageId: id, chat: chat ?? undefined, recipient: about.recipient, make: forward };
      await sending.sendAction(scope, action, undefined, attempt);
    } else if (content.kind === 'album') {
      const items = itemsOf(content, (bytes) => stores.scheduled.fileOf(deviceId, messageId, bytes));
      await sending.sendAlbum(scope, { ...about, items, deadline }, undefined, attempt);
    } else if (content.kind === 'plain') {
      const previewBy = content.linkPreview ? deadline : undefined;
      await sending.send(scope, { ...about, content: content.content, previewBy }, undefined, attempt);
    } else {
      const { file, caption, source: kept } = content;
      let source: FileSource;
      if ('url' in kept) source = kept;
      else {
        const { bytes, fileName, mimetype } = kept.given;
        const plain = stores.scheduled.fileOf(deviceId, messageId, bytes);
        source = { upload: { plain, fileName, mimetype: mimetype ?? 'application/octet-stream' } };
      }
      await sending.sendFile(scope, { ...about, file, caption, source, deadline }, undefined, attempt);
    }
  } finally {
    deadline.cancel();
  }
};

/** Resolves once the network has the message. Throws what the send throws, and Forbidden if it may no longer be sent. */
export const depart = async (
  parts: Parts,
  sending: Sending,
  runtime: DeviceRuntime,
  message: ScheduledMessage,
): Promise<void> => {
  const { deviceId, messageId, isLeaving } = message;
  // An interrupted attempt may have sent it.
  const isWhole = message.body.content.kind !== 'album';
  const before = isLeaving && isWhole ? await parts.stores.messages.find(deviceId, messageId) : null;
  if (before !== null && before.acceptedAt !== null) return;
  const why = await refusal(parts, runtime, message);
  if (why !== null) throw new HandsetError('Forbidden', why);
  await send(parts, sending, message, runtime.userId);
};

const typeOf = (content: ScheduledContent): MessageType => {
  switch (content.kind) {
    case 'plain':
      return content.content.kind;
    case 'file':
      return content.file.kind;
    case 'album':
      return 'album';
    case 'forward':
      return 'unknown';
  }
};

const textOf = (content: ScheduledContent): string | null => {
  if (content.kind === 'file') return content.caption;
  return content.kind === 'plain' && content.content.kind === 'text' ? content.content.text : null;
};

interface ChatNames {
  readonly chat: Jid;
  readonly chatNumber: string | null;
  readonly chatLid: Jid | null;
}

const chatOf = ({ kind, jid }: Recipient): ChatNames => {
  if (kind === 'group') return { chat: jid, chatNumber: null, chatLid: null };
  return kind === 'lid'
    ? { chat: jid, chatNumber: null, chatLid: jid }
    : { chat: jid, chatNumber: jidUser(jid), chatLid: null };
};

const failedRecord = (message: ScheduledMessage, { session }: DeviceRuntime, at: number): readonly MessageRecord[] => {
  const { account } = session;
  if (account === null) return [];
  const { messageId, body } = message;
  const { recipient, content, quotedMessageId = null } = body;
  return [
    {
      id: messageId,
      ...chatOf(recipient),
      direction: 'out',
      from: account.jid,
      fromNumber: jidUser(account.jid),
      fromLid: account.lid,
      pushName: null,
      isGroup: recipient.kind === 'group',
      type: typeOf(content),
      text: textOf(content),
      quotedMessageId,
      media: null,
      content: null,
      state: 'failed',
      timestamp: at,
      acceptedAt: null,
      deliveredAt: null,
      readAt: null,
      failedAt: at,
      deletedAt: null,
    },
  ];
};

/** Reports the failure in the log and by `message.updated`, and deletes the message. */
export const tellFailed = async (
  { stores, clock }: Parts,
  runtime: DeviceRuntime,
  message: ScheduledMessage,
  error: string,
): Promise<void> => {
  const { deviceId, messageId, body } = message;
  const at = clock.now();
  const known = await stores.messages.find(deviceId, messageId);
  const { chat, chatNumber, chatLid } = known ?? chatOf(body.recipient);
  const event = {
    type: 'message.updated' as const,
    data: { messageId, chat, chatNumber, chatLid, update: { status: 'failed' as const, error } },
  };
  const step = { state: 'failed' as const, at };
  const changes = {
    ...(known === null
      ? { messages: failedRecord(message, runtime, at) }
      : { messageChanges: [{ messageId, chat, step, ...(known.viewOnce && { isErased: true as const }) }] }),
    facts: [{ event, at }],
  };
  await stores.changes.commit(deviceId, changes, runtime.epoch);
  await stores.scheduled.remove(deviceId, messageId);
};
