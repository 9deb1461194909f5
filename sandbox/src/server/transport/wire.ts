/** The writing side of a connection: stanzas as sealed frames, after the network's latency. */
import { type BinaryNode, encodeBinaryNode } from 'baileys';
import type { WebSocket } from 'ws';
import type { Client } from '../../base/types.ts';
import type { HubState } from '../state/state.ts';
import { frameOf } from './frames.ts';
import type { Transport } from './noise.ts';

/** A client that does not close its side is cut off after this time. */
const CLOSE_MS = 1000;

export interface Wire {
  readonly hub: HubState;
  readonly socket: WebSocket;
  /** Half open: nothing goes through any more. */
  silent: boolean;
  /** Something was lost on it while the network was half open: what comes next ends it, as TCP would. */
  broken: boolean;
}

/** Sends stanzas to the client of a connection, once the handshake is done. */
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
