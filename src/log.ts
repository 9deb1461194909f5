/** The one logger: structured, and without private data (no message text, phone number or key above debug). */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** The words of an error are somebody else's, and may name who was written to: long runs of digits are phone numbers and LIDs. */
const withoutNumbers = (words: unknown): unknown => (typeof words === 'string' ? words.replace(/\d{7,}/g, '…') : words);

/** `destination`: standard output when it is left out. */
export const makeLog = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: withoutNumbers, reason: withoutNumbers },
      redact: { paths: ['req.headers.authorization', '*.secret', '*.qr', '*.pairingCode'], censor: '[redacted]' },
    },
    destination,
  );
