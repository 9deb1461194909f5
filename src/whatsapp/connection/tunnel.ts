/** Routes socket, uploads and downloads through a device's proxy. */
import { Agent as HttpsAgent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buildConnector, Agent as Dispatcher } from 'undici';
import type { Endpoint } from './endpoint.ts';

export type Tunnel = (host: string, port: number) => Promise<Socket>;

type Done = (error: Error | null, stream: Duplex) => void;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error('the proxy failed'));

class TunnelAgent extends HttpsAgent {
  readonly #tunnel: Tunnel;
  readonly #isSecure: boolean;

  constructor(tunnel: Tunnel, protocol: 'http:' | 'https:', options: AgentOptions = {}) {
    super(options);
    Object.assign(this, { protocol });
    this.#tunnel = tunnel;
    this.#isSecure = protocol === 'https:';
  }

  override createConnection(options: RequestOptions, done: Done = () => {}): undefined {
    void this.#open(options, done);
  }

  async #open(options: RequestOptions, done: Done): Promise<void> {
    let socket: Duplex;
    try {
      socket = await this.#tunnel(options.host ?? '', Number(options.port));
      if (this.#isSecure) socket = super.createConnection(Object.assign({ ...options }, { socket }))!;
    } catch (error) {
      // With an error the stream is not used.
      done(asError(error), null!);
      return;
    }
    done(null, socket);
  }
}

const connectorOver = (tunnel: Tunnel, secure: buildConnector.connector): buildConnector.connector => {
  const open = async (options: buildConnector.Options, done: buildConnector.Callback): Promise<void> => {
    let httpSocket: Socket;
    try {
      httpSocket = await tunnel(options.hostname, Number(options.port || 443));
    } catch (error) {
      done(asError(error), null);
      return;
    }
    secure({ ...options, httpSocket }, done);
  };
  return (options, done) => void open(options, done);
};

/** Idle connections close by themselves, so that nothing must be closed with the session. */
const idleMs = 5_000;

export const throughTunnel = (
  endpoint: Endpoint,
  tunnel: Tunnel,
  reached = async (): Promise<void> => {},
): Endpoint => {
  const { socketUrl, mediaCa } = endpoint;
  const trust = mediaCa === undefined ? {} : { ca: mediaCa };
  const socketTunnel: Tunnel = async (host, port) => {
    const socket = await tunnel(host, port);
    try {
      await reached();
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return socket;
  };
  return {
    ...endpoint,
    socketAgent: new TunnelAgent(socketTunnel, socketUrl.startsWith('wss:') ? 'https:' : 'http:'),
    uploadAgent: new TunnelAgent(tunnel, 'https:', { ...trust, keepAlive: true, timeout: idleMs }),
    dispatcher: new Dispatcher({ keepAliveMaxTimeout: idleMs, connect: connectorOver(tunnel, buildConnector(trust)) }),
  };
};
