/**
 * Decodes messages, with two kinds that the library's protobufs lack: `spoilerMessage` (118), a wrapper, and `pollCreationMessageV6` (119), a poll
 * with extensible options or hidden voters (zapo's protobufs, 2026-08-19). They are mapped to similar kinds.
 */
import { proto } from '../library/proto.ts';
import { fieldMapOf, type Field } from '../signal/session-record.ts';

const deviceSent = 31;
const spoiler = 118;
const pollV6 = 119;

const maxDepth = 4;

const bytesIn = (value: Field['value'] | undefined): Uint8Array | null => (value instanceof Uint8Array ? value : null);

/** A wrapper has its message in field 1. */
const wrapped = (bytes: Uint8Array, depth: number): proto.IMessage | null => {
  const inner = bytesIn(fieldMapOf(bytes).get(1));
  return inner === null ? null : decodedTo(inner, depth + 1);
};

/** A poll has its question in field 2, a wrapped one does not. */
const pollIn = (bytes: Uint8Array, depth: number): proto.IMessage | null =>
  fieldMapOf(bytes).has(2)
    ? { pollCreationMessageV3: proto.Message.PollCreationMessage.decode(bytes) }
    : wrapped(bytes, depth);

const newer = (bytes: Uint8Array, depth: number): proto.IMessage | null => {
  const fields = fieldMapOf(bytes);
  const [hidden, poll, sent] = [spoiler, pollV6, deviceSent].map((number) => bytesIn(fields.get(number)));
  if (hidden) return wrapped(hidden, depth);
  if (poll) return pollIn(poll, depth);
  const copy = sent ? bytesIn(fieldMapOf(sent).get(2)) : null;
  return copy === null ? null : decodedTo(copy, depth + 1);
};

const isEmpty = (message: proto.IMessage): boolean =>
  Object.keys(message).every((field) => field === 'messageContextInfo') ||
  (message.deviceSentMessage?.message ? isEmpty(message.deviceSentMessage.message) : false);

const decodedTo = (bytes: Uint8Array, depth: number): proto.IMessage => {
  const message: proto.Message = proto.Message.decode(bytes);
  if (depth >= maxDepth || !isEmpty(message)) return message;
  try {
    const found = newer(bytes, depth);
    if (found === null) return message;
    const { messageContextInfo } = message;
    return { ...(messageContextInfo && { messageContextInfo }), ...found };
  } catch {
    return message;
  }
};

export const decodeMessage = (bytes: Uint8Array): proto.IMessage => decodedTo(bytes, 0);

export type Action =
  | { readonly kind: 'edit'; readonly messageId: string; readonly message: proto.IMessage }
  | { readonly kind: 'revoke'; readonly messageId: string; readonly key: proto.IMessageKey }
  | { readonly kind: 'reaction'; readonly messageId: string; readonly reaction: string | null }
  | { readonly kind: 'pin'; readonly messageId: string; readonly pinned: boolean }
  | { readonly kind: 'timer'; readonly expiresInSeconds: number | null; readonly setAt: number | null }
  | EncryptedUpdate
  | { readonly kind: 'resent'; readonly messages: readonly proto.IWebMessageInfo[] };

export interface EncryptedUpdate {
  readonly kind: 'encryptedUpdate';
  readonly use: 'edit' | 'eventEdit' | 'pollEdit' | 'reaction' | 'vote' | 'response' | 'comment';
  readonly messageId: string;
  readonly iv: Uint8Array;
  readonly payload: Uint8Array;
}
