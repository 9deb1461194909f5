/** The sending side of a connection: stanzas as sealed frames, delayed by the latency. */
import { inflateSync } from 'node:zlib';
import { type BinaryNode, decodeDecompressedBinaryNode, encodeBinaryNode } from 'baileys';
import * as dictionary from 'baileys/lib/WABinary/constants.js';
import type { WebSocket } from 'ws';
import type { Client } from '../../base/types.ts';
import type { HubState } from '../state/state.ts';
import type { Transport } from './noise.ts';

/** An introduction, then frames with a 3-byte length, each one binary node. */
const LENGTH_BYTES = 3;
const INTRODUCTION_BYTES = 4;
const ROUTING_BYTES = 7;
const COMPRESSED = 2;
/** Largest decompressed node, equal to the limit of a frame. */
const MAX_BYTES = 0xff_ffff;

export const frameOf = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.alloc(LENGTH_BYTES + bytes.length);
  frame.writeUIntBE(bytes.length, 0, LENGTH_BYTES);
  frame.set(bytes, LENGTH_BYTES);
  return frame;
};

/** After `WA` and its version, possibly preceded by `ED` and routing information; -1 if more bytes are needed. */
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

export const decode = (bytes: Buffer): BinaryNode => {
  const body = bytes.subarray(1);
  const compressed = ((bytes[0] ?? 0) & COMPRESSED) !== 0;
  return decodeDecompressedBinaryNode(
    compressed ? inflateSync(body, { maxOutputLength: MAX_BYTES }) : body,
    dictionary,
  );
};

/** A client that does not close its side by then is cut off. */
const CLOSE_MS = 1000;

export interface Wire {
  readonly hub: HubState;
  readonly socket: WebSocket;
  /** Half open: nothing goes through any more. */
  silent: boolean;
  /** Frames were lost while half open; the next one ends the connection, as TCP would. */
  broken: boolean;
}

export const makeClient = (wire: Wire, transport: Transport): Client => {
  const { hub, socket } = wire;
  let open = true;
  const put = (node: BinaryNode): void => {
    if (socket.readyState !== socket.OPEN) return;
    const frame = frameOf(transport.seal(encodeBinaryNode(node)));
    hub.counters.bytesOut += frame.length;
    socket.send(frame);
  };
  const later = (run: () => void): void => {
    const { latencyMs } = hub.faults;
    if (latencyMs === 0) run();
    else hub.clock.after(latencyMs, run);
  };
  return {
    send: (node) => {
      if (!open || wire.silent) return;
      if (hub.faults.halfOpen) wire.broken = true;
      else if (wire.broken) socket.terminate();
      else later(() => put(node));
    },
    close: (last) => {
      if (!open) return;
      open = false;
      if (last === undefined || wire.silent) return socket.terminate();
      later(() => {
        put(last);
        socket.close();
        hub.clock.after(CLOSE_MS, () => socket.terminate());
      });
    },
    silence: () => {
      wire.silent = true;
    },
  };
};
