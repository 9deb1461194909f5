/** What the driver changes for the whole process. */
import { Curve } from 'baileys';
import { calculateAgreement, calculateSignature, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge';
import { typedKey } from './crypto.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/**
 * A small buffer that is kept pins the slab that it was cut from. A device keeps keys and records that were made at different times: with
 * Node's default that is up to 40 kB a device.
 */
export const shrinkBufferPool = (): void => {
  Buffer.poolSize = 8192;
};

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

let told: Logger | null = null;

/**
 * A stanza that the engine did not expect (a call without an id, say) makes it reject a promise that nobody awaits, for which Node ends the process. The
 * stanza comes again after a start. For the whole thread, however often it is called.
 */
export const logUnhandledRejections = (log: Logger): void => {
  const isFirst = told === null;
  told = log;
  if (!isFirst) return;
  process.on('unhandledRejection', (error) =>
    told?.error({ error: messageOf(error) }, 'something has failed that nobody waits for'),
  );
};
