/** Asks the network for a pairing: the companion's half of linking by an 8-character code. */
import { randomBytes } from 'node:crypto';
import {
  aesEncryptCTR,
  bytesToCrockford,
  derivePairingCodeKey,
  getCompanionPlatformId,
  S_WHATSAPP_NET,
  type WASocket,
} from 'baileys';
import { phoneJid } from '../domain/jid.ts';
import { browser } from './socket.ts';

const part = (tag: string, content: Uint8Array | string) => ({ tag, attrs: {}, content });

const wrappedEphemeralKey = async (code: string, publicKey: Uint8Array): Promise<Uint8Array> => {
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  return Buffer.concat([salt, iv, aesEncryptCTR(publicKey, await derivePairingCodeKey(code, salt), iv)]);
};

/**
 * Baileys' own function resolves before the network has answered; this one throws when the network refuses. Baileys
 * finishes the pairing itself when the code has been entered, and reads number and code from the credentials then.
 */
export const requestPairingCode = async (sock: WASocket, number: string): Promise<string> => {
  const { creds } = sock.authState;
  const code = bytesToCrockford(randomBytes(5));
  const jid = phoneJid(number);
  creds.pairingCode = code;
  creds.me = { id: jid, name: '~' };
  const answer: unknown = await sock.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
    content: [
      {
        tag: 'link_code_companion_reg',
        attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
        content: [
          part(
            'link_code_pairing_wrapped_companion_ephemeral_pub',
            await wrappedEphemeralKey(code, creds.pairingEphemeralKeyPair.public),
          ),
          part('companion_server_auth_key_pub', creds.noiseKey.public),
          part('companion_platform_id', getCompanionPlatformId(browser)),
          part('companion_platform_display', `${browser[1]} (${browser[0]})`),
          part('link_code_pairing_nonce', '0'),
        ],
      },
    ],
  });
  if (answer === undefined) throw new Error('the network did not answer the request for a pairing code');
  return code;
};
