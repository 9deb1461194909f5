/** Key pairs and ciphers of a pairing, the curve, and public keys in Signal's format. */
export { aesDecryptCTR, aesEncryptCTR, bytesToCrockford, Curve, derivePairingCodeKey, type KeyPair } from 'baileys';

/** 33 bytes, type byte first. Throws RangeError. */
export const typedKey = (key: Uint8Array): Uint8Array => {
  if (key.length === 33) return key;
  if (key.length !== 32) throw new RangeError('Not a public key');
  const typed = new Uint8Array(33);
  typed[0] = 5;
  typed.set(key, 1);
  return typed;
};
