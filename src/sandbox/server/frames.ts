/** The framing of the connection: an introduction, then frames with a length of three bytes. */
import { inflateSync } from 'node:zlib';

import { type BinaryNode, decodeDecompressedBinaryNode } from 'baileys';
import * as dictionary from 'baileys/lib/WABinary/constants.js';
import { encodeNode } from 'whatsapp-rust-bridge';

const LENGTH_BYTES = 3;
const INTRODUCTION_BYTES = 4;
const COMPRESSED = 2;
const NOTHING = Buffer.alloc(0);

export const frame = (data: Uint8Array): Buffer => {
  const framed = Buffer.allocUnsafe(LENGTH_BYTES + data.length);
  framed.writeUIntBE(data.length, 0, LENGTH_BYTES);
  framed.set(data, LENGTH_BYTES);
  return framed;
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

export const encode = (node: BinaryNode): Uint8Array => encodeNode(node);

/** The first byte tells whether the rest is compressed. */
export const decode = (bytes: Buffer): BinaryNode => {
  const compressed = ((bytes[0] ?? 0) & COMPRESSED) !== 0;
  const body = compressed ? inflateSync(bytes.subarray(1)) : bytes.subarray(1);
  return decodeDecompressedBinaryNode(body, dictionary);
};
