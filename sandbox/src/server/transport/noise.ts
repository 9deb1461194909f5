/** Noise_XX_25519_AESGCM_SHA256 as responder: the handshake, and the cipher of the frames after it. */
import { proto } from 'baileys';
import { calculateSignature, generateKeyPair } from 'whatsapp-rust-bridge';
import type { KeyPair } from '../../base/types.ts';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

export const makeKeyPair = (): KeyPair => {
  const { pubKey, privKey } = generateKeyPair();
  return { public: pubKey.subarray(-32), private: privKey };
};

const { Details } = proto.CertChain.NoiseCertificate;

/** Clients check that the root signed the intermediate, whose issuer is serial 0, and that the intermediate signed the leaf. */
export const certify = (root: KeyPair, noiseStatic: Uint8Array): Uint8Array => {
  const intermediate = makeKeyPair();
  const middle = Details.encode({ serial: 1, issuerSerial: 0, key: intermediate.public }).finish();
  const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: noiseStatic }).finish();
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: calculateSignature(root.private, middle) },
    leaf: { details: leaf, signature: calculateSignature(intermediate.private, leaf) },
  }).finish();
};

const PROTOCOL_NAME = Buffer.from('Noise_XX_25519_AESGCM_SHA256\0\0\0\0');
const PROLOGUE = Buffer.from([87, 65, 6, 3]);
const NOTHING = Buffer.alloc(0);
const TAG_BYTES = 16;

const PUBLIC_DER = Buffer.from('302a300506032b656e032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b656e04220420', 'hex');

const publicKeyOf = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: Buffer.concat([PUBLIC_DER, raw]), format: 'der', type: 'spki' });

const privateKeyOf = (raw: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PRIVATE_DER, raw]), format: 'der', type: 'pkcs8' });

const rawPublic = (key: KeyObject): Buffer => key.export({ format: 'der', type: 'spki' }).subarray(-32);

/** HKDF with two outputs of 32 bytes. */
const expand = (salt: Uint8Array, input: Uint8Array): [Buffer, Buffer] => {
  const keys = Buffer.from(hkdfSync('sha256', input, salt, NOTHING, 64));
  return [keys.subarray(0, 32), keys.subarray(32)];
};

const makeCipher = (rawKey: Uint8Array) => {
  const key = createSecretKey(rawKey);
  let counter = 0;
  const nonce = Buffer.alloc(12);
  const nextNonce = (): Buffer => {
    nonce.writeUInt32BE(counter, 8);
    counter += 1;
    return nonce;
  };
  return {
    seal: (plain: Uint8Array, associated: Uint8Array = NOTHING): Buffer => {
      const cipher = createCipheriv('aes-256-gcm', key, nextNonce()).setAAD(associated);
      return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed: Uint8Array, associated: Uint8Array = NOTHING): Buffer => {
      if (sealed.length < TAG_BYTES) throw new Error('a frame too short to be one');
      const decipher = createDecipheriv('aes-256-gcm', key, nextNonce()).setAAD(associated);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const plain = decipher.update(sealed.subarray(0, -TAG_BYTES));
      decipher.final();
      return plain;
    },
  };
};

export interface Transport {
  seal(plain: Uint8Array): Buffer;
  open(sealed: Uint8Array): Buffer;
}

export interface Finished {
  readonly transport: Transport;
  readonly clientKey: Uint8Array;
  readonly payload: Uint8Array;
}

export interface ServerIdentity {
  readonly key: KeyPair;
  readonly privateKey: KeyObject;
  readonly certificate: Uint8Array;
}

export const makeServerIdentity = (key: KeyPair, certificate: Uint8Array): ServerIdentity => ({
  key,
  privateKey: privateKeyOf(key.private),
  certificate,
});

const makeSymmetricState = () => {
  let hash: Buffer = PROTOCOL_NAME;
  let salt: Buffer = PROTOCOL_NAME;
  let cipher = makeCipher(PROTOCOL_NAME);
  const mixHash = (data: Uint8Array) => {
    hash = createHash('sha256').update(hash).update(data).digest();
  };
  mixHash(PROLOGUE);
  return {
    mixHash,
    mixKey: (privateKey: KeyObject, publicKey: KeyObject) => {
      const [next, key] = expand(salt, diffieHellman({ privateKey, publicKey }));
      salt = next;
      cipher = makeCipher(key);
    },
    seal: (plain: Uint8Array): Buffer => {
      const sealed = cipher.seal(plain, hash);
      mixHash(sealed);
      return sealed;
    },
    open: (sealed: Uint8Array): Buffer => {
      const plain = cipher.open(sealed, hash);
      mixHash(sealed);
      return plain;
    },
    split: (): [Buffer, Buffer] => expand(salt, NOTHING),
  };
};

/** Answers the client's hello; `finish` takes its last handshake message. */
export const answerHello = (
  identity: ServerIdentity,
  message: Uint8Array,
): { reply: Uint8Array; finish: (message: Uint8Array) => Finished } => {
  const { clientHello } = proto.HandshakeMessage.decode(message);
  if (clientHello?.ephemeral?.length !== 32) throw new Error('a handshake without a hello');
  const state = makeSymmetricState();
  const ephemeral = generateKeyPairSync('x25519');
  const ephemeralPublic = rawPublic(ephemeral.publicKey);
  const clientEphemeral = publicKeyOf(clientHello.ephemeral);
  state.mixHash(clientHello.ephemeral);
  state.mixHash(ephemeralPublic);
  state.mixKey(ephemeral.privateKey, clientEphemeral);
  const sealedStatic = state.seal(identity.key.public);
  state.mixKey(identity.privateKey, clientEphemeral);
  const payload = state.seal(identity.certificate);
  const serverHello = { ephemeral: ephemeralPublic, static: sealedStatic, payload };
  return {
    reply: proto.HandshakeMessage.encode({ serverHello }).finish(),
    finish: (last) => {
      const { clientFinish } = proto.HandshakeMessage.decode(last);
      if (!clientFinish?.static || !clientFinish.payload) throw new Error('a handshake without an end');
      const clientKey = state.open(clientFinish.static);
      state.mixKey(ephemeral.privateKey, publicKeyOf(clientKey));
      const clientPayload = state.open(clientFinish.payload);
      const [incoming, outgoing] = state.split();
      const [{ open }, { seal }] = [makeCipher(incoming), makeCipher(outgoing)];
      const transport: Transport = { open: (sealed) => open(sealed), seal: (plain) => seal(plain) };
      return { transport, clientKey, payload: clientPayload };
    },
  };
};
