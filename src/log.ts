/** The structured logger. Above debug it logs no message text, phone number or key. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Foreign errors may name a recipient: long runs of digits are phone numbers and LIDs. */
const withoutNumbers = (words: unknown): unknown => (typeof words === 'string' ? words.replace(/\d{7,}/g, '…') : words);

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
