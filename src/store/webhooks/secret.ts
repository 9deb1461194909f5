/** Secrets of webhooks. */
import { randomBytes } from 'node:crypto';

/** Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. */
export const makeSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
