/** Look-up hashes: rows are found by them, and without the key they tell nothing of what they were made from. */
import { createHmac, createSecretKey } from 'node:crypto';

/** Deterministic for a scope, a device and a text: 22 characters (132 bits of HMAC-SHA256). */
export type Lookup = (scope: string, deviceId: number, text: string) => string;

export const makeLookups = (key: Buffer): Lookup => {
  const secret = createSecretKey(key);
  return (scope, deviceId, text) =>
    createHmac('sha256', secret).update(`${scope}/${deviceId}/${text}`).digest('base64url').slice(0, 22);
};
