/** The id and stanza of a message to a person, all in the namespace of its `to` (`addressing.ts`). */
import { createHash, randomUUID } from 'node:crypto';
import { encodeSignedDeviceIdentity, getMessageReportingToken } from '../library/protocol.ts';
import type { BinaryNode } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Wire } from '../identity/addressing.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import { isViewOnce } from '../translate/parts/decode.ts';

export const makeMessageId = (): string => {
  // Node generates random bits for many UUIDs at once.
  const uuid = randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
};

/** A stable id for a part of a message, in the same format. */
export const partIdOf = (messageId: string, index: number): string => {
  const hash = createHash('sha256').update(`${messageId} ${index}`).digest('hex');
  return `3EB0${hash.slice(0, 18).toUpperCase()}`;
};

/** The copy for the account's other devices: the message, and its recipient. */
export const forOwnDevices = (destinationJid: string, message: proto.IMessage): Uint8Array => {
  const { messageContextInfo = null } = message;
  return proto.Message.encode({ deviceSentMessage: { destinationJid, message }, messageContextInfo }).finish();
};

export interface Envelope {
  readonly id: string;
  readonly wire: Wire;
  readonly message: proto.IMessage;
  readonly bytes: Uint8Array;
  readonly encrypted: readonly { readonly jid: string; readonly payload: SignalMessage }[];
  readonly token: BinaryNode | null;
}

/** The signed identity of this device, part of a session's first messages. */
export const deviceIdentity = ({ account }: AuthenticationCreds): BinaryNode[] =>
  account ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }] : [];

export const encNode = ({ type, ciphertext }: SignalMessage, attrs: BinaryNode['attrs'] = {}): BinaryNode => ({
  tag: 'enc',
  attrs: { v: '2', type, ...attrs },
  content: ciphertext,
});

export interface StanzaShape {
  readonly type: 'text' | 'media' | 'poll' | 'reaction';
  readonly enc: BinaryNode['attrs'];
  readonly edit: BinaryNode['attrs'];
  readonly meta: readonly BinaryNode[];
}

const plain: StanzaShape = { type: 'text', enc: {}, edit: {}, meta: [] };
const media = (mediatype: string): StanzaShape => ({ ...plain, type: 'media', enc: { mediatype } });
/** A device that cannot decrypt it shows nothing instead. */
const hidden: StanzaShape = { ...plain, enc: { 'decrypt-fail': 'hide' } };
const once: StanzaShape['meta'] = [{ tag: 'meta', attrs: { view_once: 'true' } }];
const poll: StanzaShape = { ...plain, type: 'poll', meta: [{ tag: 'meta', attrs: { polltype: 'creation' } }] };

const mediaTypeOf = ({ audioMessage, videoMessage, ...message }: proto.IMessage): string | null => {
  if (message.imageMessage) return 'image';
  if (message.ptvMessage) return 'ptv';
  if (videoMessage) return videoMessage.gifPlayback ? 'gif' : 'video';
  if (audioMessage) return audioMessage.ptt ? 'ptt' : 'audio';
  if (message.documentMessage ?? message.documentWithCaptionMessage) return 'document';
  if (message.stickerMessage) return 'sticker';
  if (message.locationMessage) return 'location';
  if (message.contactMessage) return 'vcard';
  return message.contactsArrayMessage ? 'contact_array' : null;
};

/**
 * Stanza attributes by message. Source: whatsmeow `getTypeFromMessage`, `getEditAttribute` (send.go, 2026-08-21), zapo `encode/content.ts`
 * (2026-08-19; `ptv` in zapo alone). Contested: locations are `text` in whatsmeow, `media` of `location` in zapo, as on the web.
 */
export const shapeOf = (whole: proto.IMessage): StanzaShape => {
  // An image in an album has the shape of an image.
  const message = whole.associatedChildMessage?.message ?? whole;
  if (message.extendedTextMessage) return message.extendedTextMessage.matchedText ? media('url') : plain;
  const { protocolMessage, reactionMessage, editedMessage, pinInChatMessage } = message;
  // Removing a reaction is an edit, like a revoke.
  if (message.encReactionMessage) return { ...hidden, type: 'reaction' };
  if (reactionMessage) return { ...hidden, type: 'reaction', edit: reactionMessage.text ? {} : { edit: '7' } };
  if (editedMessage) return { ...hidden, edit: { edit: '1' } };
  if (pinInChatMessage) return { ...hidden, edit: { edit: '2' } };
  if (protocolMessage) return { ...plain, edit: { edit: protocolMessage.key?.fromMe ? '7' : '8' } };
  if (message.pollCreationMessage ?? message.pollCreationMessageV3) return poll;
  const mediatype = mediaTypeOf(message);
  if (mediatype === null) return plain;
  return isViewOnce(message) ? { ...media(mediatype), meta: once } : media(mediatype);
};

/**
 * The reporting token lets the recipient report the message.
 * Rule: derived from the id, the sender and the chat. Source: whatsmeow `reportingtoken.go` (2026-08-21) and zapo `reporting-token.ts`
 * (2026-08-19). The library takes the chat for the sender, so it is given the sender as the chat.
 */
export const messageStanza = async (
  creds: AuthenticationCreds,
  { id, wire, message, bytes, encrypted, token }: Envelope,
): Promise<BinaryNode> => {
  const shape = shapeOf(message);
  const participants: BinaryNode[] = [];
  let begins = false;
  for (const { jid, payload } of encrypted) {
    participants.push({ tag: 'to', attrs: { jid }, content: [encNode(payload, shape.enc)] });
    begins ||= payload.type === 'pkmsg';
  }
  const key = { id, fromMe: true, remoteJid: wire.own, participant: wire.to };
  const reporting = await getMessageReportingToken(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    message,
    key,
  );
  const content: BinaryNode[] = [];
  if (participants.length > 0) content.push({ tag: 'participants', attrs: {}, content: participants });
  if (begins) content.push(...deviceIdentity(creds));
  if (reporting !== null) content.push(reporting);
  if (token !== null) content.push(token);
  const peer = wire.peerPhone === null ? {} : { peer_recipient_pn: wire.peerPhone };
  content.push(...shape.meta);
  return { tag: 'message', attrs: { id, to: wire.to, type: shape.type, ...shape.edit, ...peer }, content };
};
