/** The WebSocket server in front of a hub. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { WebSocketServer } from 'ws';
import type { KeyPair } from '../../base/types.ts';
import { certify, makeKeyPair } from './certificate.ts';
import { serve } from './connection.ts';
import type { ServerHub } from '../hub.ts';
import { makeServerIdentity } from './noise.ts';

const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

export interface ListenOptions {
  /** 0 for any free one. */
  readonly port?: number;
  readonly host?: string;
  /** The root key that clients have to trust; made when not given. */
  readonly rootKey?: KeyPair | undefined;
}

export interface Listener {
  readonly port: number;
  /** For `waWebSocketUrl`. */
  readonly url: string;
  readonly rootKey: KeyPair;
  /** The public half, 64 hex digits, for `WA_CERT_DETAILS.PUBLIC_KEY`. */
  readonly rootKeyHex: string;
  close(): Promise<void>;
}

export const listen = async (hub: ServerHub, options: ListenOptions = {}): Promise<Listener> => {
  const { port = 0, host = '127.0.0.1', rootKey = makeKeyPair() } = options;
  const noiseKey = makeKeyPair();
  const identity = makeServerIdentity(noiseKey, certify(rootKey, noiseKey.public));
  const http = createServer((_request, response) => {
    response.writeHead(426, { connection: 'close' }).end();
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  http.on('upgrade', (request, socket, head) => {
    if (hub.state.faults.refuseConnections) return socket.destroy();
    sockets.handleUpgrade(request, socket, head, (accepted) => serve(hub, identity, accepted));
  });
  http.listen(port, host);
  await once(http, 'listening');
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const bound = address.port;
  return {
    port: bound,
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${bound}/ws/chat`,
    rootKey,
    rootKeyHex: Buffer.from(rootKey.public).toString('hex'),
    close: async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.close();
      http.closeAllConnections();
      await once(http, 'close');
    },
  };
};
