/** What the driver changes for the whole process. */
import { calculateAgreement, calculateSignature, generateKeyPair, verifySignature } from './bridge.ts';
import { Curve, typedKey } from './crypto.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

/** A small buffer pins the slab it was cut from: with Node's default that is up to 40 kB per device. */
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
  // These public keys lack the type byte.
  return { private: Buffer.from(privKey), public: Buffer.from(pubKey.subarray(1)) };
};

/**
 * Replaces libsignal in JavaScript, which is GPL-3.0 and stays out of the bundle (`tools/bundle.ts`). There each operation takes
 * 6 ms, half of the cost of a connection, and every signature of the right length counts as valid (`docs/upstream`). Idempotent.
 */
export const useNativeCurve = (): void => {
  Curve.generateKeyPair = newPair;
  Curve.sharedKey = (privateKey, publicKey) => Buffer.from(calculateAgreement(typedKey(publicKey), privateKey));
  Curve.sign = (privateKey, message) => calculateSignature(privateKey, message);
  Curve.verify = verify;
};

let told: Logger | null = null;

/** An unawaited rejection would end the process, and its stanza would be redelivered after a restart. Idempotent. */
export const logUnhandledRejections = (log: Logger): void => {
  const isFirst = told === null;
  told = log;
  if (!isFirst) return;
  process.on('unhandledRejection', (error) =>
    told?.error({ error: messageOf(error) }, 'something has failed that nobody waits for'),
  );
};
