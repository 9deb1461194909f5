/** The framing of the connection: an introduction, then frames with a length of three bytes. */
import { inflateSync } from 'node:zlib';

import type { BinaryNode } from 'baileys';

import { decodeNode } from './decode.ts';

const LENGTH_BYTES = 3;
const INTRODUCTION_BYTES = 4;
const COMPRESSED = 2;
const NOTHING = Buffer.alloc(0);

/** A message of the WebSocket, unmasked and binary, before its payload (RFC 6455, 5.2). */
const messageHead = (length: number): number[] => {
  if (length < 126) return [0x82, length];
  if (length < 65_536) return [0x82, 126, length >> 8, length & 255];
  return [0x82, 127, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255];
};

/** One WebSocket message with a frame for each of these, whose parts follow each other. */
export const messageOf = (frames: readonly (readonly Uint8Array[])[]): Buffer => {
  const lengths = frames.map((parts) => parts.reduce((sum, { length }) => sum + length, 0));
  const payload = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0);
  const head = messageHead(payload);
  // Not of the pool, which would be filled anew all the time.
  const message = Buffer.allocUnsafeSlow(head.length + payload);
  message.set(head);
  let at = head.length;
  for (const [index, parts] of frames.entries()) {
    at = message.writeUIntBE(lengths[index]!, at, LENGTH_BYTES);
    for (const part of parts) {
      message.set(part, at);
      at += part.length;
    }
  }
  return message;
};

/** Cuts what arrives into frames; the first bytes of a connection introduce the protocol (`WA`, or `ED` before it). */
export const makeFrameReader = (): ((data: Buffer) => Buffer[]) => {
  let rest: Buffer = NOTHING;
  let introduced = false;
  const skip = (bytes: number) => {
    rest = rest.subarray(bytes);
  };
  const introduce = (): boolean => {
    if (rest.length < INTRODUCTION_BYTES) return false;
    if (rest.toString('latin1', 0, 2) === 'ED') {
      if (rest.length < 7) return false;
      const routing = 7 + rest.readUIntBE(4, 3);
      if (rest.length < routing + INTRODUCTION_BYTES) return false;
      skip(routing);
    }
    if (rest.toString('latin1', 0, 2) !== 'WA') throw new Error('not the protocol of this network');
    skip(INTRODUCTION_BYTES);
    return (introduced = true);
  };
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data]);
    if (!introduced && !introduce()) return [];
    const frames: Buffer[] = [];
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUIntBE(0, LENGTH_BYTES);
      if (rest.length < end) break;
      frames.push(rest.subarray(LENGTH_BYTES, end));
      skip(end);
    }
    // A view of nothing would keep the whole message.
    if (rest.length === 0) rest = NOTHING;
    return frames;
  };
};

/** The first byte tells whether the rest is compressed. */
export const decode = (bytes: Buffer): BinaryNode => {
  const compressed = ((bytes[0] ?? 0) & COMPRESSED) !== 0;
  const body = compressed ? inflateSync(bytes.subarray(1)) : bytes.subarray(1);
  return decodeNode(body);
};
