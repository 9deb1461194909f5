/**
 * Messages to the account's own phone: requests for messages without content, and for app state keys.
 * Rule: to the phone alone, as one `<enc>` without `<participants>` and without `deviceSentMessage`, in a stanza of `category="peer"`
 * with `<meta appdata="default"/>`. Source: whatsmeow `preparePeerMessageNode` (send.go, 2026-08-21), zapo
 * `publishProtocolMessageToDevice` (2026-08-19).
 */
import type { BinaryNode } from '../library/nodes.ts';
import { encodeWAMessage, proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Socket } from '../socket/socket.ts';
import { meOf } from '../identity/people.ts';
import { isLidMigrated } from '../identity/addressing.ts';
import type { Line } from '../socket/line.ts';
import { encryptForDevices } from './encrypt-for-devices.ts';
import type { BeginSessions } from './key-bundles.ts';
import { deviceIdentity, encNode, makeMessageId } from './message-stanza.ts';
import type { SignalMessage } from '../signal/bridge.ts';
import type { EncryptBatch } from '../signal/batches.ts';

/**
 * Contested: the phone JID (whatsmeow `SendPeerMessage`, zapo; also WhatsApp Web, according to whatsapp-rust), or the LID of a migrated
 * account (whatsapp-rust `pdo.rs`, 2026-08). The session is the same, stored under the LID.
 */
const byLid: boolean = false;

const { APP_STATE_SYNC_KEY_REQUEST } = proto.Message.ProtocolMessage.Type;

/** How the network wakes the phone: `high` for keys (whatsmeow, zapo), `high_force` for other requests (zapo, whatsapp-rust #666). */
const priorityOf = ({ type }: proto.Message.IProtocolMessage): string =>
  type === APP_STATE_SYNC_KEY_REQUEST ? 'high' : 'high_force';

export interface PeerMessageParts {
  readonly sock: Pick<Socket, 'isOpen'>;
  readonly line: Pick<Line, 'send'>;
  readonly creds: AuthenticationCreds;
  readonly encrypt: EncryptBatch;
  readonly beginSessions: BeginSessions;
}

export type SendToPhone = (message: proto.Message.IProtocolMessage) => Promise<void>;

const stanzaOf = (
  creds: AuthenticationCreds,
  to: string,
  message: proto.Message.IProtocolMessage,
  encrypted: SignalMessage,
): BinaryNode => ({
  tag: 'message',
  attrs: {
    id: makeMessageId(),
    to,
    type: 'text',
    category: 'peer',
    push_priority: priorityOf(message),
  },
  content: [
    { tag: 'meta', attrs: { appdata: 'default' } },
    encNode(encrypted),
    ...(encrypted.type === 'pkmsg' ? deviceIdentity(creds) : []),
  ],
});

export const sendToPhone =
  ({ sock, line, creds, encrypt, beginSessions }: PeerMessageParts): SendToPhone =>
  async (message) => {
    const { phone, lid } = meOf(creds);
    const to = byLid && isLidMigrated(creds) ? (lid ?? phone) : phone;
    const plaintexts = [{ jid: to, plaintext: encodeWAMessage({ protocolMessage: message }) }];
    const [encrypted] = await encryptForDevices({ encrypt, beginSessions }, plaintexts);
    if (!encrypted) throw new Error('failed to encrypt a message to the own phone');
    if (!sock.isOpen) throw new Error('the connection is closed');
    line.send([stanzaOf(creds, to, message, encrypted)]);
  };
