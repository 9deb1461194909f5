/** The HTTP server around the framework: connections, answers to malformed requests, shutdown, and the record of each request. */
import { type RequestListener, type Server, createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { HttpOptions, Tls } from './wire/services.ts';
import { randomUUID } from 'node:crypto';
import type { Reason } from '../errors.ts';
import { errorBody, reasonHeader, serviceStopping } from './wire/errors.ts';
import { headersOn } from './wire/headers.ts';
import type { Clock, Timer } from '../domain/clock.ts';
import type { Deadline } from '../service/users/admission.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { Logger } from '../log.ts';

/** Further connections are closed at once, to bound memory and open files. */
const maxConnections = 20_000;
const keepAliveMs = 72_000;

/** `unused`: connections without a request so far. Browsers and pools connect ahead of need, and closing the server would wait for them. */
export const listenerOf = (options: HttpOptions, handler: RequestListener, unused: Set<Socket>): Server => {
  const settings = {
    // Bodies have their own deadline or minimum rate (`body.ts`).
    requestTimeout: 0,
    headersTimeout: Math.min(options.requestTimeoutMs, 20_000),
    connectionsCheckingInterval: Math.min(1000, Math.ceil(options.requestTimeoutMs / 4)),
    keepAliveTimeout: keepAliveMs,
    // Refused later, with our error body.
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

export const prefixOf = (publicUrl: string | null): string =>
  publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** Open connections keep the old certificate. Throws if it is unusable. */
export const renewTls = (server: Server, { cert, key }: Tls): void => {
  if (server instanceof TlsServer) server.setSecureContext({ cert, key, minVersion: 'TLSv1.2' });
};

const verdicts: Readonly<Record<string, readonly [number, string, string, Reason]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'Request timeout', 'request_timeout'],
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'Request header fields too large', 'payload_too_large'],
};

const malformed = [400, 'Bad Request', 'Malformed HTTP request', 'invalid_request'] as const;

export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, phrase, message, reason] = verdicts[error.code ?? ''] ?? malformed;
  const body = JSON.stringify(errorBody(code, message));
  const headers = {
    ...headersOn(socket),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': randomUUID(),
    [reasonHeader]: reason,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${code} ${phrase}`, ...lines, '', body].join('\r\n'));
};

/** Requests may finish for this long after a stop begins; shorter than the time after which `main.ts` cuts connections. */
const finishMs = 5_000;

export class Stopping {
  /** Of the requests under way. */
  readonly deadlines = new Set<Deadline>();
  #timer: Timer | null = null;

  begin(clock: Pick<Clock, 'after'>): void {
    this.#timer = clock.after(finishMs, () => {
      for (const deadline of this.deadlines) deadline.end(serviceStopping());
    });
  }

  end(): void {
    this.#timer?.cancel();
  }
}

/** Routes, not URLs, so that no numbers or ids appear. */
export const makeObserver = (registry: Registry, log: Logger, logRequests = false) => {
  const requests = new Counter({
    name: 'handset_http_requests_total',
    help: 'HTTP requests answered',
    labelNames: ['method', 'route', 'status'] as const,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'handset_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  // Nothing to redact, and the search costs more than writing.
  const lines = log.child({}, { redact: [] });
  return {
    answered(request: FastifyRequest, reply: FastifyReply): void {
      const { method, route } = request;
      const ms = performance.now() - request.startedAt;
      requests.inc({ method, route, status: reply.statusCode });
      durations.observe({ method, route }, ms / 1000);
      const level = logRequests || reply.statusCode >= 500 ? 'info' : 'debug';
      if (!lines.isLevelEnabled(level)) return;
      const line = {
        requestId: request.id,
        method,
        route,
        status: reply.statusCode,
        ms: Math.round(ms * 10) / 10,
        ...(request.caller === null ? {} : { userId: request.caller.user.id }),
        ...(request.scope === null ? {} : { deviceId: request.scope.id }),
      };
      lines[level](line, 'request');
    },
  };
};

export type Observer = ReturnType<typeof makeObserver>;
