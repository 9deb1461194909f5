/** The certificate chain of the Noise handshake, under a root key of the sandbox's own. */
import { proto } from 'baileys';
import { calculateSignature, generateKeyPair } from 'whatsapp-rust-bridge';
import type { KeyPair } from '../../base/types.ts';

export const makeKeyPair = (): KeyPair => {
  const { pubKey, privKey } = generateKeyPair();
  return { public: pubKey.subarray(-32), private: privKey };
};

const { Details } = proto.CertChain.NoiseCertificate;

/** Clients check: the root signed the intermediate, whose issuer is serial 0, and the intermediate signed the leaf. */
export const certify = (root: KeyPair, noiseStatic: Uint8Array): Uint8Array => {
  const intermediate = makeKeyPair();
  const middle = Details.encode({ serial: 1, issuerSerial: 0, key: intermediate.public }).finish();
  const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: noiseStatic }).finish();
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: calculateSignature(root.private, middle) },
    leaf: { details: leaf, signature: calculateSignature(intermediate.private, leaf) },
  }).finish();
};
