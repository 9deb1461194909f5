/**
 * Requests to the phone to re-upload a dropped file, and its answers.
 * Rule: a receipt of type `server-error` to the own account, with the message id encrypted under a key of the media (HKDF-SHA256,
 * "WhatsApp Media Retry Notification"; AES-256-GCM, the message id as associated data) and `<rmr>`, which names the message. The phone
 * answers with a notification `mediaretry` with the message's id: a new path, encrypted in the same way, or `<error code>`. Keys and
 * hashes of the file do not change.
 * Sources, and what is contested (`to` is the account's number): docs/internals/sources.md.
 */
import { decryptMediaRetryData, encryptMediaRetryRequest } from '../library/protocol.ts';
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { meOf } from '../identity/people.ts';
import { isLidMigrated } from '../identity/addressing.ts';

export type RetryAnswer =
  | { readonly kind: 'uploaded'; readonly directPath: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed' };

type Asked = Pick<MessageRecord, 'id' | 'chat' | 'chatLid' | 'direction' | 'from' | 'fromLid' | 'isGroup'>;

export const retryRequest = (creds: AuthenticationCreds, message: Asked, mediaKey: Uint8Array): BinaryNode => {
  const { id, chat, chatLid, direction, from, fromLid, isGroup } = message;
  const byLid = isLidMigrated(creds);
  const key = {
    id,
    remoteJid: (byLid ? chatLid : null) ?? chat,
    fromMe: direction === 'out',
    ...(isGroup ? { participant: (byLid ? fromLid : null) ?? from } : {}),
  };
  const receipt = encryptMediaRetryRequest(key, mediaKey, meOf(creds).phone);
  const children = Array.isArray(receipt.content) ? receipt.content : [];
  // The engine sets `participant` to undefined outside of groups.
  const content = children.map((child) => ({
    ...child,
    attrs: Object.fromEntries(Object.entries(child.attrs).filter(([, value]) => value !== undefined)),
  }));
  return { ...receipt, content };
};

const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;
const ivBytes = 12;
const maxSealedBytes = 4_096;

/** A path on the network's media hosts, never a full URL. */
const isPath = (path: string | null | undefined): path is string =>
  typeof path === 'string' && path.length <= 2_048 && /^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(path);

const bytesIn = (node: BinaryNode | undefined, tag: string): Uint8Array | null => {
  const content = getBinaryNodeChild(node, tag)?.content;
  return content instanceof Uint8Array ? content : null;
};

const resultOf = ({ result, directPath }: proto.IMediaRetryNotification): RetryAnswer | null => {
  if (result === NOT_FOUND) return { kind: 'missing' };
  if (result !== SUCCESS) return { kind: 'failed' };
  return isPath(directPath) ? { kind: 'uploaded', directPath } : null;
};

export const retryErrorOf = (notification: BinaryNode): RetryAnswer | null => {
  const error = getBinaryNodeChild(notification, 'error');
  if (error === undefined) return null;
  return { kind: error.attrs.code === String(NOT_FOUND) ? 'missing' : 'failed' };
};

export const openRetryAnswer = (notification: BinaryNode, id: string, mediaKey: Uint8Array): RetryAnswer | null => {
  const encrypted = getBinaryNodeChild(notification, 'encrypt');
  const ciphertext = bytesIn(encrypted, 'enc_p');
  const iv = bytesIn(encrypted, 'enc_iv');
  if (ciphertext === null || ciphertext.length > maxSealedBytes || iv?.length !== ivBytes) return null;
  try {
    const answer = decryptMediaRetryData({ ciphertext, iv }, mediaKey, id);
    return answer.stanzaId && answer.stanzaId !== id ? null : resultOf(answer);
  } catch {
    return null;
  }
};
