/**
 * Messages to the account's own phone: requests for messages that came without their content, and for keys of the application state.
 *
 * Rule: the message goes to the phone alone, as one `<enc>` without `<participants>` and without `deviceSentMessage` around it, in a stanza of
 * `category="peer"` with `<meta appdata="default"/>`. Source: whatsmeow `preparePeerMessageNode` (send.go, 2026-08-21), zapo
 * `publishProtocolMessageToDevice` (2026-08-19). Baileys rc14 wraps the message, as it wraps every message to the own account.
 */
import { encodeSignedDeviceIdentity } from '../engine/credentials.ts';
import type { BinaryNode } from '../engine/nodes.ts';
import { proto } from '../engine/proto.ts';
import type { AuthenticationCreds, WASocket } from '../engine/types.ts';
import { meOf } from '../login/account.ts';
import { isLidMigrated } from '../identity/addressing.ts';
import type { Line } from '../engine/line/line.ts';
import { MessageIds } from './message-ids.ts';
import { padded } from './message-stanza.ts';
import type { Sealed, SealTogether } from '../signal/outward.ts';

/**
 * Contested: the phone JID (whatsmeow `SendPeerMessage`, zapo; also WhatsApp Web, as whatsapp-rust says), or the LID of a migrated account
 * (whatsapp-rust `pdo.rs`, 2026-08). The session is the same, kept under the LID.
 */
const byLid: boolean = false;

const { APP_STATE_SYNC_KEY_REQUEST } = proto.Message.ProtocolMessage.Type;

/** How the network wakes the phone: `high` for keys (whatsmeow, zapo), `high_force` for other requests (Baileys rc14, zapo, whatsapp-rust #666). */
const priorityOf = ({ type }: proto.Message.IProtocolMessage): string =>
  type === APP_STATE_SYNC_KEY_REQUEST ? 'high' : 'high_force';

export interface PeerMessageParts {
  readonly sock: Pick<WASocket, 'ws'>;
  readonly line: Pick<Line, 'send'>;
  readonly creds: AuthenticationCreds;
  readonly seal: SealTogether;
  readonly beginSessions: (jids: readonly string[]) => Promise<void>;
}

/** Resolves when the message has been handed to the connection. */
export type SendToPhone = (message: proto.Message.IProtocolMessage) => Promise<void>;

const stanzaOf = (
  { account }: AuthenticationCreds,
  to: string,
  message: proto.Message.IProtocolMessage,
  { type, ciphertext }: Sealed,
): BinaryNode => {
  const content: BinaryNode[] = [
    { tag: 'meta', attrs: { appdata: 'default' } },
    { tag: 'enc', attrs: { v: '2', type }, content: ciphertext },
  ];
  if (type === 'pkmsg' && account) {
    content.push({ tag: 'device-identity', attrs: {}, content: encodeSignedDeviceIdentity(account, true) });
  }
  const id = new MessageIds().make(true);
  const attrs = { id, to, type: 'text', category: 'peer', push_priority: priorityOf(message) };
  return { tag: 'message', attrs, content };
};

export const sendToPhone =
  ({ sock, line, creds, seal, beginSessions }: PeerMessageParts): SendToPhone =>
  async (message) => {
    const { phone, lid } = meOf(creds);
    const to = byLid && isLidMigrated(creds) ? (lid ?? phone) : phone;
    const open = [{ jid: to, plaintext: padded(proto.Message.encode({ protocolMessage: message }).finish()) }];
    let sealing = await seal(open, {}, false);
    if (sealing.missing.length > 0) {
      await beginSessions(sealing.missing);
      sealing = await seal(open, {}, true);
    }
    const [sealed] = sealing.sealed;
    if (!sealed) throw new Error('a message to the own phone could not be encrypted');
    if (!sock.ws.isOpen) throw new Error('the connection is closed');
    line.send([stanzaOf(creds, to, message, sealed)]);
  };
