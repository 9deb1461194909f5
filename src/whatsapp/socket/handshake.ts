/** Client side of Noise_XX_25519_AESGCM_SHA256, with the network's server certificates. */
import { createCipheriv, createDecipheriv, hash, hkdfSync } from 'node:crypto';
import { calculateAgreement, generateKeyPair, verifySignature } from '../library/bridge.ts';
import { boundedCache } from '../library/bounded-cache.ts';
import { typedKey } from '../library/crypto.ts';
import { proto } from '../library/proto.ts';
import { NOISE_MODE, NOISE_WA_HEADER, WA_CERT_DETAILS } from '../library/protocol.ts';
import { FrameCipher, tagBytes } from './frames.ts';

export interface StaticKey {
  readonly public: Uint8Array;
  readonly private: Uint8Array;
}

const protocolName = Buffer.from(NOISE_MODE);
const nothing = new Uint8Array();
const algorithm = 'aes-256-gcm';
const { Details } = proto.CertChain.NoiseCertificate;

class Agreement {
  #hash: Uint8Array = protocolName;
  #salt: Uint8Array = protocolName;
  #key: Uint8Array = protocolName;
  #counter = 0;

  said(data: Uint8Array): void {
    this.#hash = hash('sha256', Buffer.concat([this.#hash, data]), 'buffer');
  }

  mix(privateKey: Uint8Array, publicKey: Uint8Array): void {
    [this.#salt, this.#key] = this.#expand(calculateAgreement(typedKey(publicKey), privateKey));
    this.#counter = 0;
  }

  seal(plain: Uint8Array): Buffer {
    const cipher = createCipheriv(algorithm, this.#key, this.#nonce()).setAAD(this.#hash);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    this.said(sealed);
    return sealed;
  }

  open(sealed: Uint8Array): Buffer {
    const end = sealed.length - tagBytes;
    // Node would accept a shorter tag.
    if (end < 0) throw new Error('The answer of the server is too short');
    const decipher = createDecipheriv(algorithm, this.#key, this.#nonce()).setAAD(this.#hash);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
    this.said(sealed);
    return plain;
  }

  split(): readonly [outgoing: Uint8Array, incoming: Uint8Array] {
    return this.#expand(nothing);
  }

  #expand(input: Uint8Array): readonly [Uint8Array, Uint8Array] {
    const both = new Uint8Array(hkdfSync('sha256', input, this.#salt, nothing, 64));
    return [both.subarray(0, 32), both.subarray(32)];
  }

  #nonce(): Uint8Array {
    const nonce = new Uint8Array(12);
    nonce[11] = this.#counter++;
    return nonce;
  }
}

/** The server key of these certificates. Throws unless signed under the root key. */
const certifiedKey = (chain: Uint8Array, rootKey: Uint8Array): Uint8Array | null | undefined => {
  const { intermediate, leaf } = proto.CertChain.decode(chain);
  if (!intermediate?.details || !intermediate.signature || !leaf?.details || !leaf.signature) {
    throw new Error('The server has shown no certificates');
  }
  const { key, issuerSerial } = Details.decode(intermediate.details);
  if (issuerSerial !== WA_CERT_DETAILS.SERIAL || key?.length !== 32) throw new Error('Unknown kind of certificate');
  if (!verifySignature(typedKey(rootKey), intermediate.details, intermediate.signature)) {
    throw new Error('The signature of the intermediate certificate is wrong');
  }
  if (!verifySignature(typedKey(key), leaf.details, leaf.signature)) {
    throw new Error("The signature of the server's certificate is wrong");
  }
  return Details.decode(leaf.details).key;
};

/** Verified certificates with their server key: there are few servers, and two signatures are a third of the cost of a handshake. */
const verified = boundedCache<Uint8Array>(64);

const verifyServer = (chain: Uint8Array, serverKey: Uint8Array, rootKey: Uint8Array): void => {
  const name = `${Buffer.from(rootKey).toString('hex')} ${Buffer.from(chain).toString('latin1')}`;
  const certified = verified.get(name) ?? certifiedKey(chain, rootKey);
  if (!certified || Buffer.compare(certified, serverKey) !== 0) throw new Error('The certificate is of another server');
  verified.set(name, certified);
};

export interface Finished {
  readonly message: Uint8Array;
  readonly cipher: FrameCipher;
}

const freshKey = (): StaticKey => {
  const { pubKey, privKey } = generateKeyPair();
  return { public: pubKey.subarray(-32), private: privKey };
};

export class Handshake {
  readonly #agreement = new Agreement();
  readonly #ephemeral: StaticKey;

  constructor(ephemeral: StaticKey = freshKey()) {
    this.#ephemeral = ephemeral;
    this.#agreement.said(NOISE_WA_HEADER);
    this.#agreement.said(this.#ephemeral.public);
  }

  hello(): Uint8Array {
    return proto.HandshakeMessage.encode({ clientHello: { ephemeral: this.#ephemeral.public } }).finish();
  }

  /** Throws unless the answer is from a server of the network. `payload`: the client's identification. */
  finish(
    answer: Uint8Array,
    {
      noiseKey,
      rootKey,
      payload,
    }: {
      readonly noiseKey: StaticKey;
      readonly rootKey: Uint8Array;
      readonly payload: Uint8Array;
    },
  ): Finished {
    const { serverHello } = proto.HandshakeMessage.decode(answer);
    if (!serverHello?.ephemeral || !serverHello.static || !serverHello.payload)
      throw new Error('The server has not answered the hello');
    const agreement = this.#agreement;
    const { ephemeral } = serverHello;
    agreement.said(ephemeral);
    agreement.mix(this.#ephemeral.private, ephemeral);
    const serverKey = agreement.open(serverHello.static);
    agreement.mix(this.#ephemeral.private, serverKey);
    verifyServer(agreement.open(serverHello.payload), serverKey, rootKey);
    const sealedKey = agreement.seal(noiseKey.public);
    agreement.mix(noiseKey.private, ephemeral);
    const clientFinish = { static: sealedKey, payload: agreement.seal(payload) };
    return {
      message: proto.HandshakeMessage.encode({ clientFinish }).finish(),
      cipher: new FrameCipher(...agreement.split()),
    };
  }
}
