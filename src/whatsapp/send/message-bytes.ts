/** Messages as bytes, as their protobufs write them: a text has two of the hundred fields that those look through. */

// A message: 6 = the extended text (1 = the text), 31 = what the account's other devices get (1 = whom it went to, 2 = the message),
// 35 = what belongs to every message (3 = its secret).
const extendedText = 6;
const textOfIt = 1;
const deviceSent = 31;
const destination = 1;
const sentMessage = 2;
const contextInfo = 35;
const messageSecret = 3;

/** Of the kind of field that has a length: a tag and the length, each seven bits to a byte. */
const tagOf = (field: number): number => field * 8 + 2;
const sizeOf = (value: number): number => {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size += 1;
  return size;
};
const withHead = (field: number, length: number): number => sizeOf(tagOf(field)) + sizeOf(length) + length;

const putNumber = (target: Uint8Array, at: number, value: number): number => {
  let next = at;
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) {
      target[next] = rest;
      return next + 1;
    }
    target[next++] = (rest & 127) | 128;
  }
};
const putHead = (target: Uint8Array, at: number, field: number, length: number): number =>
  putNumber(target, putNumber(target, at, tagOf(field)), length);

const putBytes = (target: Uint8Array, at: number, field: number, bytes: Uint8Array): number => {
  const begin = putHead(target, at, field, bytes.length);
  target.set(bytes, begin);
  return begin + bytes.length;
};
const putText = (target: Buffer, at: number, field: number, text: string, length: number): number => {
  const begin = putHead(target, at, field, length);
  return begin + target.write(text, begin, length, 'utf8');
};

/** `{ extendedTextMessage: { text }, messageContextInfo: { messageSecret: secret } }`. */
export const textMessage = (text: string, secret: Uint8Array): Buffer => {
  const length = Buffer.byteLength(text);
  const inText = withHead(textOfIt, length);
  const inContext = withHead(messageSecret, secret.length);
  const target = Buffer.allocUnsafe(withHead(extendedText, inText) + withHead(contextInfo, inContext));
  const context = putText(target, putHead(target, 0, extendedText, inText), textOfIt, text, length);
  putBytes(target, putHead(target, context, contextInfo, inContext), messageSecret, secret);
  return target;
};

/** `{ deviceSentMessage: { destinationJid, message }, messageContextInfo: context }`, of a message and a context as bytes. */
export const deviceSentMessage = (destinationJid: string, message: Uint8Array, context: Uint8Array | null): Buffer => {
  const length = Buffer.byteLength(destinationJid);
  const inSent = withHead(destination, length) + withHead(sentMessage, message.length);
  const inContext = context === null ? 0 : withHead(contextInfo, context.length);
  const target = Buffer.allocUnsafe(withHead(deviceSent, inSent) + inContext);
  const place = putText(target, putHead(target, 0, deviceSent, inSent), destination, destinationJid, length);
  const end = putBytes(target, place, sentMessage, message);
  if (context !== null) putBytes(target, end, contextInfo, context);
  return target;
};

/** Without the padding of 1 to 16 bytes, each of them their number, as Baileys' `unpadRandomMax16`; of the same memory. */
export const unpadded = (bytes: Uint8Array): Uint8Array => {
  const padding = bytes.at(-1);
  if (padding === undefined || padding > bytes.length) throw new Error('A message without its padding');
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length - padding);
};
