/** The id and the stanza of a message to a person, all of it in the namespace of its `to` (`addressing.ts`). */
import { randomUUID } from 'node:crypto';
import { encodeSignedDeviceIdentity } from '../engine/credentials.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { getMessageReportingToken } from '../engine/reporting.ts';
import type { Wire } from '../identity/addressing.ts';
import type { SignalMessage } from '../signal/bridge.ts';

/** An id as the network's own apps for the web make them: 72 random bits, of a UUID's the first ones and the last. */
export const makeMessageId = (): string => {
  // Node draws the bits of many UUIDs at once.
  const uuid = randomUUID();
  return `3EB0${(uuid.slice(0, 8) + uuid.slice(-10)).toUpperCase()}`;
};

/** The copy for the other devices of this account: the message, and whom it went to. */
export const forOwnDevices = (destinationJid: string, message: proto.IMessage): Uint8Array => {
  const { messageContextInfo = null } = message;
  return proto.Message.encode({ deviceSentMessage: { destinationJid, message }, messageContextInfo }).finish();
};

export interface Envelope {
  readonly id: string;
  readonly wire: Wire;
  readonly message: proto.IMessage;
  /** The message as bytes, without padding. */
  readonly bytes: Uint8Array;
  readonly encrypted: readonly { readonly jid: string; readonly payload: SignalMessage }[];
  /** `tctoken` or `cstoken`. */
  readonly token: BinaryNode | null;
}

/** The signed identity of this device, which goes with the first messages of a session. */
export const deviceIdentity = ({ account }: AuthenticationCreds): BinaryNode[] =>
  account ? [{ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) }] : [];

export const encNode = ({ type, ciphertext }: SignalMessage, attrs: BinaryNode['attrs'] = {}): BinaryNode => ({
  tag: 'enc',
  attrs: { v: '2', type, ...attrs },
  content: ciphertext,
});

/** The attributes of `<enc>` that name the kind of media. */
export const mediaAttrs = ({ imageMessage }: proto.IMessage): BinaryNode['attrs'] =>
  imageMessage ? { mediatype: 'image' } : {};

/**
 * A message to a person. The reporting token lets the recipient report it to the network.
 *
 * Rule: that token is derived with the id, the sender and the chat. Source: whatsmeow `reportingtoken.go` (2026-08-21) and zapo
 * `reporting-token.ts` (2026-08-19); contested: Baileys rc14 takes the chat in the sender's place, so it is given the sender as the chat.
 */
export const messageStanza = async (
  creds: AuthenticationCreds,
  { id, wire, message, bytes, encrypted, token }: Envelope,
): Promise<BinaryNode> => {
  const kind = mediaAttrs(message);
  const participants: BinaryNode[] = [];
  let begins = false;
  for (const { jid, payload } of encrypted) {
    participants.push({ tag: 'to', attrs: { jid }, content: [encNode(payload, kind)] });
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
  const type = message.imageMessage ? 'media' : 'text';
  const peer = wire.peerPhone === null ? {} : { peer_recipient_pn: wire.peerPhone };
  return { tag: 'message', attrs: { id, to: wire.to, type, ...peer }, content };
};
