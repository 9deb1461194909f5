/** Most messages are a text and nothing else: that is read without the protocol's whole list of fields. */
import { FieldReader } from '../../signal/fields.ts';
import type { Message } from '../context.ts';

// Numbers of fields in the network's `Message`, and of those in them.
const CONVERSATION = 1;
const EXTENDED_TEXT = 6;
const TEXT = 1;
const DEVICE_SENT = 31;
const DESTINATION = 1;
const SENT_MESSAGE = 2;
const CONTEXT_INFO = 35;
const MESSAGE_SECRET = 3;

const textAt = (bytes: Buffer, { start, end }: FieldReader): string => bytes.toString('utf8', start, end);

/** The number of the next field; 0 where that was all. */
const nextOf = (fields: FieldReader): number => (fields.next() ? fields.number : 0);

/** Null where it has more than its text. */
const extendedText = (bytes: Buffer, from: number, to: number): string | null => {
  const fields = new FieldReader(bytes, from, to);
  return nextOf(fields) === TEXT && fields.end === to ? textAt(bytes, fields) : null;
};

/** The context that any message may carry. Only its secret is kept. */
type Context = Pick<Message, 'messageContextInfo'>;

const contextAt = (bytes: Buffer, from: number, to: number): Context => {
  for (const fields = new FieldReader(bytes, from, to); fields.next();) {
    if (fields.number !== MESSAGE_SECRET) continue;
    return { messageContextInfo: { messageSecret: Uint8Array.from(bytes.subarray(fields.start, fields.end)) } };
  }
  return {};
};

interface Text extends Context {
  readonly conversation: string;
}

/** Null where there is anything else, or nothing. */
const textOf = (bytes: Buffer, from: number, to: number): Text | null => {
  let context: Context = {};
  let text: string | null = null;
  for (const fields = new FieldReader(bytes, from, to); fields.next();) {
    if (fields.number === CONVERSATION) text = textAt(bytes, fields);
    else if (fields.number === EXTENDED_TEXT) text = extendedText(bytes, fields.start, fields.end);
    else if (fields.number === CONTEXT_INFO) context = contextAt(bytes, fields.start, fields.end);
    else return null;
    if (text === null && fields.number !== CONTEXT_INFO) return null;
  }
  return text ? { conversation: text, ...context } : null;
};

const deviceSent = (bytes: Buffer, from: number, to: number): Message | null => {
  const fields = new FieldReader(bytes, from, to);
  if (nextOf(fields) !== DESTINATION) return null;
  const destinationJid = textAt(bytes, fields);
  if (nextOf(fields) !== SENT_MESSAGE || fields.end !== to) return null;
  const message = textOf(bytes, fields.start, fields.end);
  return message ? { deviceSentMessage: { destinationJid, message } } : null;
};

const read = (bytes: Buffer, to: number): Message | null => {
  const fields = new FieldReader(bytes, 0, to);
  if (nextOf(fields) === DEVICE_SENT) {
    const { start, end } = fields;
    const after = nextOf(fields);
    if (after === 0) return deviceSent(bytes, start, end);
    if (after !== CONTEXT_INFO || fields.end !== to) return null;
    const sent = deviceSent(bytes, start, end);
    return sent && { ...sent, ...contextAt(bytes, fields.start, fields.end) };
  }
  return textOf(bytes, 0, to);
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
