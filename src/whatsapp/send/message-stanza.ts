/** The stanza of a message to a person, all of it in the namespace of its `to` (`addressing.ts`). */
import { randomBytes } from 'node:crypto';
import { encodeSignedDeviceIdentity } from '../engine/credentials.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { getMessageReportingToken } from '../engine/reporting.ts';
import type { Wire } from '../identity/addressing.ts';
import { hashBytes, Hmac } from '../signal/hmac.ts';
import { deviceSentMessage } from './message-bytes.ts';
import type { Sealed } from '../signal/outward.ts';
import { lengthDelimited } from '../signal/wire.ts';

/** 1 to 16 bytes, each of them their number: the length tells less of the text. */
export const padded = (bytes: Uint8Array): Uint8Array => {
  const length = (randomBytes(1)[0]! & 0x0f) + 1;
  const result = new Uint8Array(bytes.length + length);
  result.set(bytes);
  result.fill(length, bytes.length);
  return result;
};

/** What the other devices of this account get: the message, and whom it went to. */
export const forOwnDevices = (
  destinationJid: string,
  { messageContextInfo }: proto.IMessage,
  bytes: Uint8Array,
): Uint8Array => {
  const context = messageContextInfo ? proto.MessageContextInfo.encode(messageContextInfo).finish() : null;
  return deviceSentMessage(destinationJid, bytes, context);
};

export interface Envelope {
  readonly id: string;
  readonly wire: Wire;
  readonly message: proto.IMessage;
  /** The message as bytes, without padding. */
  readonly bytes: Uint8Array;
  readonly sealed: readonly { readonly jid: string; readonly sealed: Sealed }[];
  /** `tctoken` or `cstoken`. */
  readonly token: BinaryNode | null;
}

const hmac = new Hmac();
const extract = new Hmac().setKey(new Uint8Array(hashBytes));
const reportKey = new Uint8Array(hashBytes);
const reportBytes = 16;
// A message: 6 = the extended text (1 = the text).
const extendedText = 6;
const textOfIt = 1;

/**
 * With it the recipient can report the message to the network; `getMessageReportingToken` of Baileys, for texts alone.
 *
 * Rule: derived with the id, the sender and the chat. Source: whatsmeow `reportingtoken.go` (2026-08-21) and zapo `reporting-token.ts` (2026-08-19);
 * contested: Baileys rc14 takes the chat in the sender's place.
 */
export const reportingOfText = (secret: Uint8Array, text: string, id: string, { own, to }: Wire): BinaryNode => {
  const info = Buffer.from(`${id}${own}${to}Report Token`);
  extract.begin().add(secret).end(reportKey);
  hmac.setKey(reportKey).begin().add(info).addByte(1).end(reportKey);
  const reported = lengthDelimited(extendedText, lengthDelimited(textOfIt, Buffer.from(text)));
  const content = Buffer.alloc(reportBytes);
  hmac.setKey(reportKey).begin().add(reported).end(content, 0, reportBytes);
  return { tag: 'reporting', attrs: {}, content: [{ tag: 'reporting_token', attrs: { v: '2' }, content }] };
};

/** Of a message with one kind of content, which ours are. */
const reportingOf = ({ message, bytes, id, wire }: Envelope): BinaryNode | Promise<BinaryNode | null> => {
  const secret = message.messageContextInfo?.messageSecret;
  const text = message.extendedTextMessage?.text;
  const isPlain = Object.keys(message.extendedTextMessage ?? {}).length === 1 && !message.imageMessage;
  if (secret && text && isPlain) return reportingOfText(secret, text, id, wire);
  // Said as of a message from us: the engine's own naming would put the chat in the sender's place.
  return getMessageReportingToken(Buffer.from(bytes), message, {
    id,
    fromMe: true,
    remoteJid: wire.own,
    participant: wire.to,
  });
};

const toDevice = (jid: string, { type, ciphertext }: Sealed, media: BinaryNode['attrs']): BinaryNode => ({
  tag: 'to',
  attrs: { jid },
  content: [{ tag: 'enc', attrs: { v: '2', type, ...media }, content: ciphertext }],
});

/** At once for a text. */
export const messageStanza = (creds: AuthenticationCreds, envelope: Envelope): BinaryNode | Promise<BinaryNode> => {
  const reporting = reportingOf(envelope);
  return reporting instanceof Promise
    ? reporting.then((node) => stanzaOf(creds, envelope, node))
    : stanzaOf(creds, envelope, reporting);
};

const stanzaOf = ({ account }: AuthenticationCreds, envelope: Envelope, reporting: BinaryNode | null): BinaryNode => {
  const { id, wire, message, sealed, token } = envelope;
  const media: BinaryNode['attrs'] = message.imageMessage ? { mediatype: 'image' } : {};
  const content: BinaryNode[] = [];
  if (sealed.length > 0) {
    const participants = sealed.map((each) => toDevice(each.jid, each.sealed, media));
    content.push({ tag: 'participants', attrs: {}, content: participants });
  }
  if (sealed.some((each) => each.sealed.type === 'pkmsg') && account) {
    content.push({ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) });
  }
  if (reporting) content.push(reporting);
  if (token !== null) content.push(token);
  const attrs: BinaryNode['attrs'] = { id, to: wire.to, type: message.imageMessage ? 'media' : 'text' };
  if (wire.peerPhone !== null) attrs.peer_recipient_pn = wire.peerPhone;
  return { tag: 'message', attrs, content };
};
