/** Message bytes before encryption, sent as they are, so that they may contain unknown fields. */
import { encodeWAMessage, proto, writeRandomPadMax16 } from 'baileys';
import type { Message } from '../context/context.ts';
import { type StanzaAttributes, stanzaType } from './stanza-type.ts';

export const padded = (bytes: Uint8Array): Uint8Array => writeRandomPadMax16(bytes);

export const paddedMessage = (message: Message): Uint8Array => encodeWAMessage(message);

const lengthDelimited = 2;

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
};

const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([varint((number << 3) | lengthDelimited), varint(bytes.length), bytes]);

/** Field numbers of `Message.deviceSentMessage` and of its `destinationJid` and `message`. */
const [deviceSentMessage, destinationJid, wrapped] = [31, 1, 2];

export const copyForOwn = (to: string, bytes: Uint8Array): Uint8Array =>
  field(deviceSentMessage, Buffer.concat([field(destinationJid, Buffer.from(to)), field(wrapped, bytes)]));

export const merged = (message: Message, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([proto.Message.encode(message).finish(), bytes]);

export const encAttributes = ({ mediatype, isHidden }: StanzaAttributes): Record<string, string> => ({
  ...(mediatype !== null && { mediatype }),
  ...(isHidden && { 'decrypt-fail': 'hide' }),
});

/** Those of a text if the content cannot be read. */
export const stanzaTypeOf = (bytes: Uint8Array): StanzaAttributes => {
  try {
    return stanzaType(proto.Message.decode(bytes));
  } catch {
    return stanzaType({});
  }
};
