/** The server below the framework: HTTP, or HTTPS with a certificate that can be replaced while it runs. */
import { type RequestListener, type Server, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { HttpOptions, Tls } from './wire/parts.ts';

/** Connections beyond these are closed as they come; what they cost is bounded, and so is the number of open files. */
const maxConnections = 20_000;
const keepAliveMs = 72_000;

/**
 * `unused` holds the connections on which no request has come, as long as who handles requests takes them out: browsers and connection pools connect
 * ahead of need, and closing the server would wait for the timeout of these.
 */
export const listenerOf = (options: HttpOptions, handler: RequestListener, unused: Set<Socket>): Server => {
  const settings = {
    // Bodies have a deadline of our own, or a least rate (`body.ts`): a large one may take long.
    requestTimeout: 0,
    headersTimeout: Math.min(options.requestTimeoutMs, 20_000),
    connectionsCheckingInterval: Math.min(1000, Math.ceil(options.requestTimeoutMs / 4)),
    keepAliveTimeout: keepAliveMs,
    // Refused by us, in the shape of all errors.
    requireHostHeader: false,
  };
  const { tls = null } = options;
  const server =
    tls === null
      ? createServer(settings, handler)
      : createTlsServer({ ...settings, ...tls, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 }, handler);
  server.maxConnections = maxConnections;
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  return server;
};

/** The path of HANDSET_PUBLIC_URL, such as `/handset`; empty where there is none. */
export const prefixOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Proxies may pass the prefix on or take it away: the service answers with and without it. */
export const withoutPrefix = (url: string, prefix: string): string =>
  prefix !== '' && url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url;

/** New connections get the new certificate; those that are open go on. Throws for a certificate that cannot be used. */
export const renewTls = (server: Server, { cert, key }: Tls): void => {
  if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
};
