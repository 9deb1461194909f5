/** The curve of Baileys by whatsapp-rust-bridge: the keys of a pairing, and signatures of the network (its servers' certificates, the account's of a new device). */
import { Curve } from 'baileys';
import { calculateAgreement, calculateSignature, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge';
import { typedKey } from './crypto.ts';

const verify: typeof Curve.verify = (key, message, signature) => {
  try {
    return verifySignature(typedKey(key), message, signature);
  } catch {
    return false;
  }
};

const newPair: typeof Curve.generateKeyPair = () => {
  const { pubKey, privKey } = generateKeyPair();
  // Baileys has public keys without the byte of their type.
  return { private: Buffer.from(privKey), public: Buffer.from(pubKey.subarray(1)) };
};

/**
 * Baileys does this by libsignal in JavaScript, which is GPL-3.0: with these in their place its code is not run, and not in the bundle
 * (`tools/bundle.ts`). Baileys takes 6 ms of JavaScript for each, half of what a connection costs, and then takes every signature of the right
 * length for a valid one (`docs/upstream`). For the whole process, however often it is called.
 */
export const useNativeCurve = (): void => {
  Curve.generateKeyPair = newPair;
  Curve.sharedKey = (privateKey, publicKey) => Buffer.from(calculateAgreement(typedKey(publicKey), privateKey));
  Curve.sign = (privateKey, message) => calculateSignature(privateKey, message);
  Curve.verify = verify;
};
