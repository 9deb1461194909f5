/** Message ids in the form that phones give them. */
import { randomBytes } from 'node:crypto';

export const messageId = (): string => `3A${randomBytes(9).toString('hex').toUpperCase()}`;

export const callId = (): string => randomBytes(16).toString('hex').toUpperCase();

export const stanzaId = (): string => randomBytes(8).toString('hex');
