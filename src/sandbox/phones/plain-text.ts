/** Most messages are a text and nothing else: that is read without the protocol's whole list of fields. */
import { FieldReader } from '../signal/fields.ts';
import type { Message } from './context.ts';

// Numbers of fields in the network's `Message`, and of those in them.
const CONVERSATION = 1;
const EXTENDED_TEXT = 6;
const TEXT = 1;
const DEVICE_SENT = 31;
const DESTINATION = 1;
const SENT_MESSAGE = 2;
const CONTEXT_INFO = 35;

const textAt = (bytes: Buffer, { start, end }: FieldReader): string => bytes.toString('utf8', start, end);

/** The number of the next field; 0 where that was all. */
const nextOf = (fields: FieldReader): number => (fields.next() ? fields.number : 0);

/** Null where it has more than its text. */
const extendedText = (bytes: Buffer, from: number, to: number): string | null => {
  const fields = new FieldReader(bytes, from, to);
  return nextOf(fields) === TEXT && fields.end === to ? textAt(bytes, fields) : null;
};

/** Null where there is anything else, or nothing. */
const textOf = (bytes: Buffer, from: number, to: number): string | null => {
  let text: string | null = null;
  for (const fields = new FieldReader(bytes, from, to); fields.next();) {
    if (fields.number === CONVERSATION) text = textAt(bytes, fields);
    else if (fields.number === EXTENDED_TEXT) text = extendedText(bytes, fields.start, fields.end);
    else if (fields.number !== CONTEXT_INFO) return null;
    if (text === null) return null;
  }
  return text;
};

const deviceSent = (bytes: Buffer, from: number, to: number): Message | null => {
  const fields = new FieldReader(bytes, from, to);
  if (nextOf(fields) !== DESTINATION) return null;
  const destinationJid = textAt(bytes, fields);
  if (nextOf(fields) !== SENT_MESSAGE || fields.end !== to) return null;
  const conversation = textOf(bytes, fields.start, fields.end);
  return conversation ? { deviceSentMessage: { destinationJid, message: { conversation } } } : null;
};

const read = (bytes: Buffer, to: number): Message | null => {
  const fields = new FieldReader(bytes, 0, to);
  if (nextOf(fields) === DEVICE_SENT) {
    const { start, end } = fields;
    const after = nextOf(fields);
    const alone = after === 0 || (after === CONTEXT_INFO && fields.end === to);
    return alone ? deviceSent(bytes, start, end) : null;
  }
  const conversation = textOf(bytes, 0, to);
  return conversation ? { conversation } : null;
};

/** The message of the bytes before `to`, as a plain text; null where it is anything else. */
export const readPlainText = (bytes: Buffer, to: number): Message | null => {
  try {
    return read(bytes, to);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
};
