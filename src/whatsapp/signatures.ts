/** Signatures of the network (the certificates of its servers, the account's of a new device), verified in native code. */
import { Curve } from 'baileys';
import { verifySignature } from 'whatsapp-rust-bridge';
import { typedKey } from './signal/bridge.ts';

const verify: typeof Curve.verify = (key, message, signature) => {
  try {
    return verifySignature(typedKey(key), message, signature);
  } catch {
    return false;
  }
};

/**
 * Baileys takes 6 ms of JavaScript for each, half of what a connection costs, and then takes every signature of the right
 * length for a valid one (`docs/upstream`). For the whole process, however often it is called.
 */
export const verifySignatures = (): void => {
  Curve.verify = verify;
};
