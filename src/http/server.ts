/** The HTTP server: Fastify with our bodies, errors and operations. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { Registry } from 'prom-client';
import type { TSchema } from 'typebox';
import { noteOperation } from '../domain/operation.ts';
import { deviceNotFound, invalidRequest, isUnavailable } from '../errors.ts';
import { type Admission, makeAdmission } from './admission/admission.ts';
import { awaitsContinue, discardRest, holdContinue, readBody, makeValidator } from './body/body.ts';
import { answerClientError, listenerOf, prefixOf, withoutPrefix, Stopping } from './connections.ts';
import { mountDashboard } from './dashboard.ts';
import { answerTo, logFailure, reasonHeader, routeNotFound } from './wire/errors.ts';
import { cutStalled } from './streams/answers.ts';
import { verifySender } from './forwarding/forward.ts';
import { learnMethods, mountOperations, allowAnyOrigin, mountPreflight } from './mount.ts';
import { Deadline } from './admission/ticket.ts';
import { awayHeader, isFromNode } from './wire/node-auth.ts';
import { openApiDocument } from './openapi/openapi.ts';
import type { Parts } from './wire/parts.ts';
import { adminOperations } from './handlers/admin.ts';
import { operations } from './handlers/operations.ts';
import { makeObserver, type Observer } from './observer.ts';
import { mountServiceRoutes } from './service-routes.ts';
import { always, overTls } from './wire/headers.ts';
import { mountSandboxProxy } from './sandbox-proxy.ts';

/** A plain request id of the caller's is kept. */
const requestId = (raw: IncomingMessage): string => {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
};

/** RFC 9112, section 3.2; only proxies get other forms than the origin form. Throws InvalidRequest. */
const checkHead = ({ httpVersion, headers, rawHeaders, url }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersion !== '1.0') throw invalidRequest('Host is missing');
  // Node keeps the first one; a proxy in front may have used the other.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && /^host$/i.test(name));
  if (hosts.length > 1) throw invalidRequest('Host is there twice; send it once');
  if (!url?.startsWith('/')) throw invalidRequest('The request target must be a path that begins with a slash');
};

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const { code, body, retryAfterSeconds, reason } = answerTo(error);
  reply.header(reasonHeader, reason);
  if (code >= 500) logFailure(request, error);
  if (isUnavailable(error) && isFromNode(request)) reply.header(awayHeader, '1');
  if (code === 401) reply.header('www-authenticate', 'Bearer');
  // The framework closes the connection after a body that it could not parse; ours is discarded.
  reply.removeHeader('connection');
  if (code === 408 || awaitsContinue(request.raw)) reply.header('connection', 'close');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  reply.code(code).type('application/json; charset=utf-8').send(JSON.stringify(body));
};

const newServer = (
  { log, options }: Parts,
  unused: Set<Socket>,
  frameworkError: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance => {
  const loggerInstance: FastifyBaseLogger = log;
  return fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    requestIdHeader: false,
    // One logger for all requests: child loggers cost more than the few lines about one request.
    childLoggerFactory: (logger) => logger,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 32_768 },
    serverFactory: (handler) => listenerOf(options, handler, unused),
    rewriteUrl: ({ url = '' }) => withoutPrefix(url, prefixOf(options.publicUrl)),
    trustProxy: options.trustProxy === undefined || options.trustProxy.length === 0 ? false : [...options.trustProxy],
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => frameworkError(request, reply),
  });
};

/** A URL that cannot be decoded names nothing; the caller is checked first, as everywhere below `/v1`. */
const answerBadUrl =
  (admission: Admission, unused: Set<Socket>) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    const url = request.raw.url ?? '';
    unused.delete(request.raw.socket);
    const answer = async (): Promise<never> => {
      checkHead(request.raw);
      if (/^\/v1(?:\/|$)/.test(url)) {
        await admission.user(request, reply);
      }
      throw url.startsWith('/v1/devices/') ? deviceNotFound() : routeNotFound();
    };
    reply.headers(request.protocol === 'https' ? overTls : always).header('x-request-id', request.id);
    answer().catch((error: unknown) => sendError(error, request, reply));
  };

const addHooks = (
  app: FastifyInstance,
  parts: Parts,
  observer: Observer,
  closing: AbortSignal,
  stopping: Stopping,
  unused: Set<Socket>,
): void => {
  app.decorateRequest('caller', null);
  app.decorateRequest('deadline', null);
  app.decorateRequest('isOperator', false);
  app.decorateRequest('attempt', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('passedOn', null);
  app.decorateRequest('route', 'unmatched');
  app.decorateRequest('scope', null);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('ticket', null);
  const { clock, options, stores } = parts;
  const watchEnd = stopping.watch(stores.onAway);
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    request.operation = config.operation ?? null;
    if (url !== undefined) request.route = url;
    noteOperation({ kind: 'request', route: `${request.method} ${request.route}` });
    unused.delete(request.raw.socket);
    request.startedAt = performance.now();
    request.deadline = new Deadline(clock, options.requestTimeoutMs, watchEnd);
    // Not `onResponse`, which does not fire for an aborted answer.
    reply.raw.once('close', () => {
      const { raw, deadline, ticket } = request;
      deadline?.cancel();
      ticket?.end();
      if (!raw.complete && !raw.destroyed) discardRest(raw, clock);
      observer.answered(request, reply);
      // A connection that was busy when the server closed would be kept alive.
      if (closing.aborted) raw.socket.end();
    });
    // Behind a trusted proxy, the client's own scheme counts.
    reply.headers(request.protocol === 'https' ? overTls : always).header('x-request-id', request.id);
    try {
      checkHead(request.raw);
      if (parts.cluster !== undefined) verifySender(parts.cluster, request);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    request.deadline?.cancel();
    cutStalled(reply, options);
    if (request.headers.expect !== undefined && awaitsContinue(request.raw)) reply.header('connection', 'close');
    done();
  });
};

const readBodies = (app: FastifyInstance, { clock }: Pick<Parts, 'clock'>): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: IncomingMessage) =>
    readBody(request, payload, clock),
  );
  app.server.on('checkContinue', (request, response) => {
    holdContinue(request, response);
    app.server.emit('request', request, response);
  });
  // Node would answer in a shape of its own; unknown expectations may be ignored (RFC 9110, section 10.1.1).
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response));
};

const whenDone = async (work: Promise<void>, done: (error?: Error) => void): Promise<void> => {
  let failure: Error | undefined;
  try {
    await work;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  done(failure);
};

const mountVersion1 = (app: FastifyInstance, parts: Parts, admission: Admission, closing: AbortSignal): void => {
  // With a callback: usually the caller is cached, and nothing is awaited.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.operation?.oneTimeToken === true) allowAnyOrigin(reply);
    const entering = admission.enter(request, reply);
    if (entering === null) done();
    else void whenDone(entering, done);
  });
  app.setNotFoundHandler(() => {
    throw routeNotFound();
  });
  mountOperations(app, parts, operations, closing);
};

/** A token instead of keys, and no rate limit. */
const mountAdmin = (app: FastifyInstance, parts: Parts, admission: Admission, closing: AbortSignal): void => {
  app.addHook('onRequest', async (request) => admission.operator(request));
  app.setNotFoundHandler(() => {
    throw routeNotFound();
  });
  mountOperations(app, parts, adminOperations, closing);
};

/** The caller makes it listen. Closing it ends the open streams. */
export const buildServer = async (parts: Parts): Promise<FastifyInstance> => {
  const admission = makeAdmission(parts);
  const registry = parts.metrics ?? new Registry();
  const closing = new AbortController();
  const stopping = new Stopping();
  setMaxListeners(0, closing.signal);
  const { adminToken = null } = parts.options;
  /** Connections without a request so far. */
  const unused = new Set<Socket>();
  const app = newServer(parts, unused, answerBadUrl(admission, unused));
  learnMethods(app);
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => makeValidator(schema, httpPart));
  app.setErrorHandler(sendError);
  // Made on first use.
  let document: string | null = null;
  const ofOperator = adminToken === null ? [] : adminOperations;
  app.decorate('openApiDocument', {
    getter: () => (document ??= JSON.stringify(openApiDocument(operations, ofOperator, parts.options))),
  });
  addHooks(app, parts, makeObserver(registry, parts.log), closing.signal, stopping, unused);
  readBodies(app, parts);
  app.setNotFoundHandler(() => {
    throw routeNotFound();
  });
  mountServiceRoutes(app, parts, registry);
  mountPreflight(app, operations);
  mountDashboard(app, prefixOf(parts.options.publicUrl), parts.options.dashboardFolder);
  await app.register(async (scope) => mountSandboxProxy(scope, parts, admission), { prefix: '/sandbox' });
  await app.register(async (scope) => mountVersion1(scope, parts, admission, closing.signal), { prefix: '/v1' });
  if (adminToken !== null) {
    await app.register(async (scope) => mountAdmin(scope, parts, admission, closing.signal), { prefix: '/admin/v1' });
  }
  app.addHook('preClose', async () => {
    closing.abort();
    stopping.begin(parts.clock);
    for (const socket of unused) socket.destroy();
  });
  app.addHook('onClose', async () => stopping.end());
  return app;
};
