/** The framing of the connection: an introduction, then frames with a length of three bytes. */
import { inflateSync } from 'node:zlib';

import type { BinaryNode } from 'baileys';

import { decodeNode } from './decode.ts';

export const LENGTH_BYTES = 3;
const INTRODUCTION_BYTES = 4;
const COMPRESSED = 2;
/** What a frame can have without being compressed. */
const MAX_BYTES = 0xff_ffff;
const NOTHING = Buffer.alloc(0);

/** Of a message of the WebSocket, unmasked and binary, before its payload (RFC 6455, 5.2). */
const headBytes = (length: number): number => (length < 126 ? 2 : length < 65_536 ? 4 : 10);

const writeHead = (message: Buffer, length: number): number => {
  message[0] = 0x82;
  if (length < 126) {
    message[1] = length;
    return 2;
  }
  if (length < 65_536) {
    message[1] = 126;
    return message.writeUInt16BE(length, 2);
  }
  message[1] = 127;
  return message.writeBigUInt64BE(BigInt(length), 2);
};

/** One WebSocket message of these ranges of the bytes: where each begins and where it ends. */
export const messageOf = (bytes: Buffer, ranges: readonly number[]): Buffer => {
  let payload = 0;
  for (let index = 0; index < ranges.length; index += 2) payload += ranges[index + 1]! - ranges[index]!;
  const message = Buffer.allocUnsafe(headBytes(payload) + payload);
  let at = writeHead(message, payload);
  for (let index = 0; index < ranges.length; index += 2)
    at += bytes.copy(message, at, ranges[index], ranges[index + 1]);
  return message;
};

/** Writes the length of a frame before it; where the frame begins. */
export const writeLength = (bytes: Buffer, at: number, length: number): number =>
  bytes.writeUIntBE(length, at, LENGTH_BYTES);

/** A frame: the bytes of `data` from `from` to `to`. */
type TakeFrame = (data: Buffer, from: number, to: number) => void;

/** Where the frames begin, after what introduces the protocol (`WA`, or `ED` before it); -1 where more bytes are needed. */
const afterIntroduction = (data: Buffer, from: number, to: number): number => {
  let at = from;
  if (to - at < INTRODUCTION_BYTES) return -1;
  if (data.toString('latin1', at, at + 2) === 'ED') {
    if (to - at < 7) return -1;
    at += 7 + data.readUIntBE(at + 4, 3);
    if (to - at < INTRODUCTION_BYTES) return -1;
  }
  if (data.toString('latin1', at, at + 2) !== 'WA') throw new Error('not the protocol of this network');
  return at + INTRODUCTION_BYTES;
};

/** Cuts what arrives into frames; the first bytes of a connection introduce the protocol. */
export const makeFrameReader = (take: TakeFrame): TakeFrame => {
  let rest: Buffer = NOTHING;
  let introduced = false;
  return (come, from, to) => {
    const data = rest.length === 0 ? come : Buffer.concat([rest, come.subarray(from, to)]);
    let [at, end] = rest.length === 0 ? [from, to] : [0, data.length];
    if (!introduced) {
      const begin = afterIntroduction(data, at, end);
      introduced = begin >= 0;
      if (introduced) at = begin;
      else end = at;
    }
    while (end - at >= LENGTH_BYTES) {
      const first = at + LENGTH_BYTES;
      const next = first + data.readUIntBE(at, LENGTH_BYTES);
      if (next > end) break;
      at = next;
      take(data, first, next);
    }
    const last = data === come ? to : data.length;
    // A view of nothing would keep the whole message.
    rest = at === last ? NOTHING : data.subarray(at, last);
  };
};

/** The first byte tells whether the rest is compressed. */
export const decode = (bytes: Buffer): BinaryNode => {
  const compressed = ((bytes[0] ?? 0) & COMPRESSED) !== 0;
  const body = compressed ? inflateSync(bytes.subarray(1), { maxOutputLength: MAX_BYTES }) : bytes.subarray(1);
  return decodeNode(body);
};
