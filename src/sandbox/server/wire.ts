/** The writing side of a WebSocket: frames, and the network's latency. */
import type { BinaryNode } from 'baileys';
import type { WebSocket } from 'ws';

import type { Client } from '../types.ts';
import { encode, frame } from './frames.ts';
import type { Transport } from './noise.ts';
import type { HubState } from './state.ts';

const CLOSE_MS = 1000;

export interface Wire {
  readonly hub: HubState;
  readonly socket: WebSocket;
  /** Frames of one turn of the event loop, which leave in one WebSocket message. */
  waiting: Buffer[];
  /** Half open: nothing goes through any more. */
  silent: boolean;
}

const flush = (wire: Wire): void => {
  const frames = wire.waiting;
  wire.waiting = [];
  const [only] = frames;
  if (only === undefined || wire.socket.readyState !== wire.socket.OPEN) return;
  wire.socket.send(frames.length === 1 ? only : Buffer.concat(frames));
};

export const write = (wire: Wire, data: Uint8Array): void => {
  if (wire.waiting.push(frame(data)) === 1) setImmediate(flush, wire);
};

/** Stanzas to whoever is at the other end, once the handshake is done. */
export const makeClient = (wire: Wire, transport: Transport): Client => {
  const { hub, socket } = wire;
  let open = true;
  const put = (node: BinaryNode) => {
    if (socket.readyState === socket.OPEN) write(wire, transport.seal(encode(node)));
  };
  const later = (run: () => void) => {
    const { latencyMs } = hub.faults;
    if (latencyMs === 0) run();
    else hub.clock.after(latencyMs, run);
  };
  return {
    send: (node) => {
      if (open && !wire.silent && !hub.faults.halfOpen) later(() => put(node));
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
