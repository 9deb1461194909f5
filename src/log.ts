/** The one logger: structured, and without private data (no message text, phone number or key above debug). */
import { type Logger, pino } from 'pino';

export type { Logger };

export const makeLog = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: ['req.headers.authorization', '*.secret', '*.qr', '*.pairingCode'], censor: '[redacted]' },
  });
