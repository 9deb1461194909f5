/** API keys as secrets: how they are made and what of them is stored (docs/spec/users.md, API keys). */
import { hash, randomBytes } from 'node:crypto';

const keyRule = /^hs_[A-Za-z0-9_-]{43}$/;

/** `hs_` and 43 characters of base64url: 32 random bytes. */
export const newSecret = (): string => `hs_${randomBytes(32).toString('base64url')}`;

export const isKey = (text: string): boolean => keyRule.test(text);

/** Only this is stored. The keys are random, so a plain hash is enough, and the look-up by it leaks no timing of the key. */
export const hashOf = (secret: string): Uint8Array => hash('sha256', secret, 'buffer');

/** The key's hash as text: the name under which the cache keeps its identity. */
export const cacheNameOf = (secret: string): string => hash('sha256', secret, 'base64');

/** The last four characters, to tell keys apart. */
export const hintOf = (secret: string): string => secret.slice(-4);
