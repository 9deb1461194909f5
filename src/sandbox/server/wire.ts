/** The writing side of a WebSocket: frames, and the network's latency. */
import type { BinaryNode } from 'baileys';

import type { Client } from '../types.ts';
import { encode } from './encode.ts';
import { messageOf } from './frames.ts';
import type { Transport } from './noise.ts';
import type { HubState } from './state.ts';
import type { ServerSocket } from './web-socket.ts';

const CLOSE_MS = 1000;

export interface Wire {
  readonly hub: HubState;
  readonly socket: ServerSocket;
  /** Frames of one turn of the event loop, in parts, which leave in one WebSocket message. */
  waiting: (readonly Uint8Array[])[];
  /** Half open: nothing goes through any more. */
  silent: boolean;
  /** Something was lost on it while the network was half open: what comes next ends it, as TCP would. */
  broken: boolean;
}

const flush = (wire: Wire): void => {
  const frames = wire.waiting;
  wire.waiting = [];
  if (frames.length > 0 && wire.socket.isOpen) wire.socket.write(messageOf(frames));
};

export const write = (wire: Wire, frame: readonly Uint8Array[]): void => {
  if (wire.waiting.push(frame) === 1) setImmediate(flush, wire);
};

/** Stanzas to whoever is at the other end, once the handshake is done. */
export const makeClient = (wire: Wire, transport: Transport): Client => {
  const { hub, socket } = wire;
  let open = true;
  const put = (node: BinaryNode) => {
    if (socket.isOpen) write(wire, transport.seal(encode(node)));
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
