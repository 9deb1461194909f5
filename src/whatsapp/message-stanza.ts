/** The stanza of a message to a person, as Baileys' `relayMessage` makes it. */
import { randomFillSync } from 'node:crypto';
import { type AuthenticationCreds, type BinaryNode, encodeSignedDeviceIdentity, proto } from 'baileys';
import { getMessageReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import type { Sealed } from './signal/outward.ts';

const pads = Buffer.alloc(1024);
let padsUsed = pads.length;

/** 1 to 16 bytes, each of them their number: the length tells less of the text. */
export const padded = (bytes: Uint8Array): Uint8Array => {
  if (padsUsed === pads.length) {
    randomFillSync(pads);
    padsUsed = 0;
  }
  const length = (pads[padsUsed++]! & 0x0f) + 1;
  const result = new Uint8Array(bytes.length + length);
  result.set(bytes);
  result.fill(length, bytes.length);
  return result;
};

/** What the other devices of this account get: the message, and whom it went to. */
export const forOwnDevices = (destinationJid: string, message: proto.IMessage): Uint8Array =>
  proto.Message.encode({
    deviceSentMessage: { destinationJid, message },
    messageContextInfo: message.messageContextInfo ?? null,
  }).finish();

export interface Envelope {
  readonly id: string;
  readonly to: string;
  readonly message: proto.IMessage;
  /** The message as bytes, without padding. */
  readonly bytes: Uint8Array;
  readonly sealed: readonly { readonly jid: string; readonly sealed: Sealed }[];
  readonly token: Uint8Array | null;
}

const toDevice = (jid: string, { type, ciphertext }: Sealed, media: BinaryNode['attrs']): BinaryNode => ({
  tag: 'to',
  attrs: { jid },
  content: [{ tag: 'enc', attrs: { v: '2', type, ...media }, content: ciphertext }],
});

export const messageStanza = async (
  { account }: AuthenticationCreds,
  { id, to, message, bytes, sealed, token }: Envelope,
): Promise<BinaryNode> => {
  const media: BinaryNode['attrs'] = message.imageMessage ? { mediatype: 'image' } : {};
  const content: BinaryNode[] = [];
  if (sealed.length > 0) {
    const participants = sealed.map((each) => toDevice(each.jid, each.sealed, media));
    content.push({ tag: 'participants', attrs: {}, content: participants });
  }
  if (sealed.some((each) => each.sealed.type === 'pkmsg') && account) {
    content.push({ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) });
  }
  const reporting = await getMessageReportingToken(Buffer.from(bytes), message, { id, fromMe: true, remoteJid: to });
  if (reporting) content.push(reporting);
  if (token !== null) content.push({ tag: 'tctoken', attrs: {}, content: token });
  return { tag: 'message', attrs: { id, to, type: message.imageMessage ? 'media' : 'text' }, content };
};
