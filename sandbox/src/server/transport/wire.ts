/** The writing side of a WebSocket: frames, and the network's latency. */
import type { BinaryNode } from 'baileys';

import type { Client } from '../../types.ts';
import { encode } from './encode.ts';
import { TAG_BYTES } from './frame-cipher.ts';
import { LENGTH_BYTES, messageOf, writeLength } from './frames.ts';
import type { Transport } from './noise.ts';
import type { HubState } from '../state.ts';
import type { ServerSocket } from './web-socket.ts';

const CLOSE_MS = 1000;
const TRAY_BYTES = 65_536;
const MOST_TRAY_BYTES = 1_048_576;

export interface Wire {
  readonly hub: HubState;
  readonly socket: ServerSocket;
  /** Where in the tray its frames of this turn of the event loop begin and end, which leave in one WebSocket message. */
  ranges: number[];
  /** Half open: nothing goes through any more. */
  silent: boolean;
  /** Something was lost on it while the network was half open: what comes next ends it, as TCP would. */
  broken: boolean;
}

/** The frames of all connections in this turn of the event loop. */
let tray = Buffer.allocUnsafeSlow(TRAY_BYTES);
let filled = 0;
/** Those that have something in the tray. */
let waiting: Wire[] = [];

const flush = (wire: Wire): void => {
  const { ranges, socket } = wire;
  if (ranges.length === 0) return;
  if (socket.isOpen) socket.write(messageOf(tray, ranges));
  wire.ranges = [];
};

const flushAll = (): void => {
  const wires = waiting;
  waiting = [];
  for (const wire of wires) flush(wire);
  filled = 0;
  if (tray.length > MOST_TRAY_BYTES) tray = Buffer.allocUnsafeSlow(TRAY_BYTES);
};

/** Makes room for a frame in the tray, its length before it; where the frame begins. */
const reserve = (wire: Wire, length: number): number => {
  const from = filled;
  filled += LENGTH_BYTES + length;
  if (filled > tray.length) {
    const larger = Buffer.allocUnsafeSlow(filled * 2);
    tray.copy(larger, 0, 0, from);
    tray = larger;
  }
  const { ranges } = wire;
  if (ranges.length === 0) {
    if (waiting.push(wire) === 1) setImmediate(flushAll);
    ranges.push(from, filled);
  } else if (ranges.at(-1) === from) ranges[ranges.length - 1] = filled;
  else ranges.push(from, filled);
  return writeLength(tray, from, length);
};

/** A frame of the handshake. */
export const writePlain = (wire: Wire, frame: Uint8Array): void => {
  const at = reserve(wire, frame.length);
  tray.set(frame, at);
};

/** Stanzas to whoever is at the other end, once the handshake is done. */
export const makeClient = (wire: Wire, transport: Transport): Client => {
  const { hub, socket } = wire;
  let open = true;
  const put = (node: BinaryNode) => {
    if (!socket.isOpen) return;
    const plain = encode(node);
    const at = reserve(wire, plain.length + TAG_BYTES);
    transport.seal(plain, tray, at);
  };
  const later = (run: () => void) => {
    const { latencyMs } = hub.faults;
    if (latencyMs === 0) run();
    else hub.clock.after(latencyMs, run);
  };
  return {
    send: (node) => {
      if (!open || wire.silent) return;
      if (hub.faults.halfOpen) wire.broken = true;
      else if (wire.broken) socket.terminate();
      else if (hub.faults.latencyMs === 0) put(node);
      else later(() => put(node));
    },
    close: (last) => {
      if (!open) return;
      open = false;
      if (last === undefined || wire.silent) return socket.terminate();
      later(() => {
        put(last);
        flush(wire);
        socket.close();
        hub.clock.after(CLOSE_MS, () => socket.terminate());
      });
    },
    silence: () => {
      wire.silent = true;
    },
  };
};
