/** Frames on their way out: encrypted, and each in a message of the WebSocket, as one piece of memory for one write. */
import { randomOf } from '../random.ts';
import { type FrameCipher, tagBytes } from './frame-cipher.ts';
import { lengthBytes, maxFrame, writeLength } from './frames.ts';

/** RFC 6455: a whole binary message, and that it is masked, as what clients send must be. */
const wholeBinary = 0x82;
const masked = 0x80;
const maskBytes = 4;

const headBytes = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10) + maskBytes;

const writeHead = (target: Buffer, at: number, length: number, mask: Uint8Array): void => {
  target[at] = wholeBinary;
  if (length < 126) target[at + 1] = masked | length;
  else if (length < 65_536) {
    target[at + 1] = masked | 126;
    target.writeUInt16BE(length, at + 2);
  } else {
    target[at + 1] = masked | 127;
    target.writeUInt32BE(0, at + 2);
    target.writeUInt32BE(length, at + 6);
  }
  target.set(mask, at + headBytes(length) - maskBytes);
};

const applyMask = (target: Buffer, begin: number, end: number, mask: Uint8Array): void => {
  for (let at = begin, index = 0; at < end; at += 1, index = (index + 1) & 3) target[at]! ^= mask[index]!;
};

/** One message of the WebSocket with these bytes, which `write` puts into their place. */
const message = (target: Buffer, at: number, length: number, write: (at: number) => void): number => {
  const mask = randomOf(maskBytes);
  const begin = at + headBytes(length);
  writeHead(target, at, length, mask);
  write(begin);
  applyMask(target, begin, begin + length, mask);
  return begin + length;
};

const plainLength = (intro: Uint8Array, bytes: Uint8Array): number => intro.length + lengthBytes + bytes.length;

const writePlain = (target: Buffer, at: number, intro: Uint8Array, bytes: Uint8Array): void => {
  target.set(intro, at);
  writeLength(target, at + intro.length, bytes.length);
  target.set(bytes, at + intro.length + lengthBytes);
};

/** A frame of the handshake, which is not encrypted. */
export const plainFrame = (intro: Uint8Array, bytes: Uint8Array): Buffer => {
  const length = plainLength(intro, bytes);
  const target = Buffer.allocUnsafe(headBytes(length) + length);
  message(target, 0, length, (at) => writePlain(target, at, intro, bytes));
  return target;
};

/** The same for a WebSocket that makes its own messages. */
export const barePlainFrame = (intro: Uint8Array, bytes: Uint8Array): Buffer => {
  const target = Buffer.allocUnsafe(plainLength(intro, bytes));
  writePlain(target, 0, intro, bytes);
  return target;
};

export const fitsFrame = ({ length }: Uint8Array): boolean => length + tagBytes <= maxFrame;

const sealInto = (cipher: FrameCipher, frame: Uint8Array, target: Buffer, at: number): void => {
  writeLength(target, at, frame.length + tagBytes);
  cipher.seal(frame, target, at + lengthBytes);
};

/** One that fits, for a WebSocket that makes its own messages. */
export const bareSealedFrame = (cipher: FrameCipher, frame: Uint8Array): Buffer => {
  const target = Buffer.allocUnsafe(lengthBytes + frame.length + tagBytes);
  sealInto(cipher, frame, target, 0);
  return target;
};

/** Of what fits into frames. */
export const sealedFrames = (cipher: FrameCipher, frames: readonly Uint8Array[]): Buffer => {
  let total = 0;
  for (const { length } of frames) {
    const framed = lengthBytes + length + tagBytes;
    total += headBytes(framed) + framed;
  }
  const target = Buffer.allocUnsafe(total);
  let at = 0;
  for (const frame of frames) {
    at = message(target, at, lengthBytes + frame.length + tagBytes, (begin) => sealInto(cipher, frame, target, begin));
  }
  return target;
};
