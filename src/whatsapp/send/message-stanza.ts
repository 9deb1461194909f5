/** The stanza of a message to a person, all of it in the namespace of its `to` (`addressing.ts`). */
import { encodeSignedDeviceIdentity } from '../engine/credentials.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { AuthenticationCreds } from '../engine/types.ts';
import { getMessageReportingToken } from '../engine/reporting.ts';
import type { Wire } from '../identity/addressing.ts';
import type { SignalMessage } from '../signal/bridge.ts';

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

/**
 * With it the recipient can report the message to the network.
 *
 * Rule: derived with the id, the sender and the chat. Source: whatsmeow `reportingtoken.go` (2026-08-21) and zapo `reporting-token.ts` (2026-08-19);
 * contested: Baileys rc14 takes the chat in the sender's place, so it is given the sender as the chat.
 */
const reportingOf = ({ message, bytes, id, wire }: Envelope): Promise<BinaryNode | null> =>
  getMessageReportingToken(Buffer.from(bytes), message, {
    id,
    fromMe: true,
    remoteJid: wire.own,
    participant: wire.to,
  });

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

export const messageStanza = async (creds: AuthenticationCreds, envelope: Envelope): Promise<BinaryNode> => {
  const { id, wire, message, encrypted, token } = envelope;
  const participants = encrypted.map(({ jid, payload }): BinaryNode => ({
    tag: 'to',
    attrs: { jid },
    content: [encNode(payload, mediaAttrs(message))],
  }));
  const reporting = await reportingOf(envelope);
  return {
    tag: 'message',
    attrs: {
      id,
      to: wire.to,
      type: message.imageMessage ? 'media' : 'text',
      ...(wire.peerPhone === null ? {} : { peer_recipient_pn: wire.peerPhone }),
    },
    content: [
      ...(participants.length > 0 ? [{ tag: 'participants', attrs: {}, content: participants }] : []),
      ...(encrypted.some(({ payload }) => payload.type === 'pkmsg') ? deviceIdentity(creds) : []),
      ...(reporting === null ? [] : [reporting]),
      ...(token === null ? [] : [token]),
    ],
  };
};
