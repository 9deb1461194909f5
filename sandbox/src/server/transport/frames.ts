/** The framing of the connection: an introduction, then frames with a length of three bytes, each one binary node. */
import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode } from 'baileys';
import * as dictionary from 'baileys/lib/WABinary/constants.js';

const LENGTH_BYTES = 3;
const INTRODUCTION_BYTES = 4;
const ROUTING_BYTES = 7;
const COMPRESSED = 2;
/** The largest node, as the length of a frame limits one that is not compressed. */
const MAX_BYTES = 0xff_ffff;

export const frameOf = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.alloc(LENGTH_BYTES + bytes.length);
  frame.writeUIntBE(bytes.length, 0, LENGTH_BYTES);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
};

/** Offset of the first frame: after `WA` and its version, or `ED` with routing information before it; -1 until more bytes have come. */
const startOfFrames = (data: Buffer): number => {
  let at = 0;
  if (data.toString('latin1', 0, 2) === 'ED') {
    if (data.length < ROUTING_BYTES) return -1;
    at = ROUTING_BYTES + data.readUIntBE(4, 3);
  }
  if (data.length < at + INTRODUCTION_BYTES) return -1;
  if (data.toString('latin1', at, at + 2) !== 'WA') throw new Error('not the protocol of this network');
  return at + INTRODUCTION_BYTES;
};

/** Cuts what arrives into frames. */
export const makeFrameReader = (take: (frame: Buffer) => void): ((data: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  let introduced = false;
  return (data) => {
    rest = Buffer.concat([rest, data]);
    if (!introduced) {
      const start = startOfFrames(rest);
      if (start < 0) return;
      introduced = true;
      rest = rest.subarray(start);
    }
    while (rest.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + rest.readUIntBE(0, LENGTH_BYTES);
      if (rest.length < end) break;
      const frame = rest.subarray(LENGTH_BYTES, end);
      rest = rest.subarray(end);
      take(frame);
    }
  };
};

/** The first byte tells whether the rest is compressed. */
export const decode = (bytes: Buffer): BinaryNode => {
  const body = bytes.subarray(1);
  const compressed = ((bytes[0] ?? 0) & COMPRESSED) !== 0;
  return decodeDecompressedBinaryNode(
    compressed ? inflateSync(body, { maxOutputLength: MAX_BYTES }) : body,
    dictionary,
  );
};
