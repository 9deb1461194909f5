/** The companion's half of linking by an 8-character code: both sides prove that they know it without sending it. */
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesEncryptCTR,
  bytesToCrockford,
  Curve,
  derivePairingCodeKey,
  type KeyPair,
} from '../library/crypto.ts';
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { getCompanionPlatformId } from '../library/protocol.ts';
import type { Socket } from '../socket/socket.ts';
import { phoneJid } from '../../domain/jid.ts';
import { browser } from '../socket/client.ts';
import { ask, bytesOf, leaf } from './stanzas.ts';

export interface LinkCode {
  readonly code: string;
  readonly ref: Uint8Array;
  readonly number: string;
  readonly ephemeral: KeyPair;
}

const wrap = async (code: string, publicKey: Uint8Array): Promise<Uint8Array> => {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  return Buffer.concat([salt, iv, aesEncryptCTR(publicKey, await derivePairingCodeKey(code, salt), iv)]);
};

const unwrap = async (code: string, wrapped: Uint8Array): Promise<Uint8Array> => {
  const key = await derivePairingCodeKey(code, Buffer.from(wrapped.subarray(0, 32)));
  return aesDecryptCTR(wrapped.subarray(48, 80), key, wrapped.subarray(32, 48));
};

const expand = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, 32));

/** Shown by the phone. The network refuses a name like `Chrome (Acme)` with 400, and platform ids other than 1 to 6 (docs/internals/sources.md). */
const display = `${browser[1]} (${browser[0]})`;

export const requestLinkCode = async (
  sock: Socket,
  number: string,
  code: string = bytesToCrockford(randomBytes(5)),
): Promise<LinkCode> => {
  const ephemeral = Curve.generateKeyPair();
  const answer = await ask(sock, 'set', {
    tag: 'link_code_companion_reg',
    attrs: { jid: phoneJid(number), stage: 'companion_hello', should_show_push_notification: 'true' },
    content: [
      leaf('link_code_pairing_wrapped_companion_ephemeral_pub', await wrap(code, ephemeral.public)),
      leaf('companion_server_auth_key_pub', sock.creds.noiseKey.public),
      leaf('companion_platform_id', getCompanionPlatformId(browser)),
      leaf('companion_platform_display', display),
      // A zero byte, as sent by the network's own client.
      leaf('link_code_pairing_nonce', new Uint8Array(1)),
    ],
  });
  const ref = bytesOf(getBinaryNodeChild(answer, 'link_code_companion_reg'), 'link_code_pairing_ref');
  if (ref === undefined) throw new Error('the network gave no reference for the pairing code');
  return { code, ref, number, ephemeral };
};

export const isFor = ({ ref }: LinkCode, registration: BinaryNode | undefined): boolean => {
  const given = bytesOf(registration, 'link_code_pairing_ref');
  return given !== undefined && Buffer.compare(given, ref) === 0;
};

export interface PrimaryHello {
  readonly wrappedEphemeral: Uint8Array;
  readonly identity: Uint8Array;
}

export const primaryHelloOf = (registration: BinaryNode | undefined): PrimaryHello | null => {
  const wrappedEphemeral = bytesOf(registration, 'link_code_pairing_wrapped_primary_ephemeral_pub');
  const identity = bytesOf(registration, 'primary_identity_pub');
  return wrappedEphemeral?.length === 80 && identity?.length === 32 ? { wrappedEphemeral, identity } : null;
};

export interface Finish {
  readonly advSecret: string;
  send(): Promise<void>;
}

export const finishLinkCode = async (sock: Socket, link: LinkCode, hello: PrimaryHello): Promise<Finish> => {
  const { signedIdentityKey } = sock.creds;
  const shared = Curve.sharedKey(link.ephemeral.private, await unwrap(link.code, hello.wrappedEphemeral));
  const [random, salt, iv] = [randomBytes(32), randomBytes(32), randomBytes(12)];
  const key = expand(shared, salt, 'link_code_pairing_key_bundle_encryption_key');
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const keys = Buffer.concat([signedIdentityKey.public, hello.identity, random]);
  const bundle = Buffer.concat([salt, iv, cipher.update(keys), cipher.final(), cipher.getAuthTag()]);
  const between = Curve.sharedKey(signedIdentityKey.private, hello.identity);
  const secret = expand(Buffer.concat([shared, between, random]), new Uint8Array(0), 'adv_secret');
  return {
    advSecret: secret.toString('base64'),
    async send() {
      await ask(sock, 'set', {
        tag: 'link_code_companion_reg',
        attrs: { jid: phoneJid(link.number), stage: 'companion_finish' },
        content: [
          leaf('link_code_pairing_wrapped_key_bundle', bundle),
          leaf('companion_identity_public', signedIdentityKey.public),
          leaf('link_code_pairing_ref', link.ref),
        ],
      });
    },
  };
};
