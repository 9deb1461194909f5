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
import { noteOperation } from '../domain/turns.ts';
import { invalidRequest, isUnavailable } from '../errors.ts';
import { type Admission, makeAdmission } from './admission/admission.ts';
import { awaitsContinue, bodyReader, discardRest, holdContinue, makeValidator } from './body/body.ts';
import { answerClientError, listenerOf, prefixOf, Stopping, makeObserver, type Observer } from './connections.ts';
import { mountDashboard, mountSignIn, mountSnapshot } from './dashboard.ts';
import { answerTo, logFailure, reasonHeader, routeNotFound } from './wire/errors.ts';
import { verifySender } from './forwarding/forward.ts';
import { malformedPath } from './wire/percent.ts';
import { NoRoute } from './no-route.ts';
import { mountOperations, allowAnyOrigin, mountPreflight } from './mount.ts';
import { Deadline } from '../service/users/admission.ts';
import { awayHeader } from './wire/node-auth.ts';
import { openApiDocument } from './openapi/openapi.ts';
import type { Services } from './wire/services.ts';
import { adminOperations, operations } from './handlers/operations.ts';
import { mountServiceRoutes } from './service-routes.ts';
import { always, overTls } from './wire/headers.ts';
import { mountMcp } from './mcp.ts';
import { mountSandboxProxy } from './sandbox-proxy.ts';

const requestId = (raw: IncomingMessage): string => {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,64}$/.test(given) ? given : randomUUID();
};

/** RFC 9112, section 3.2; only proxies get other forms than the origin form. Throws InvalidRequest. */
const checkHead = ({ httpVersion, headers, rawHeaders, url }: IncomingMessage): void => {
  if (headers.host === undefined && httpVersion !== '1.0') throw invalidRequest('Host is missing');
  // Node keeps the first one; a proxy in front may have used the other.
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]!.length === 4 && /^host$/i.test(rawHeaders[at]!)) hosts += 1;
  if (hosts > 1) throw invalidRequest('Host is there twice; send it once');
  if (!url?.startsWith('/')) throw invalidRequest('The request target must be a path that begins with a slash');
};

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const { code, body, retryAfterSeconds, reason } = answerTo(error);
  reply.header(reasonHeader, reason);
  if (code >= 500) logFailure(request, error);
  if (isUnavailable(error) && request.passedOn) reply.header(awayHeader, '1');
  if (code === 401) reply.header('www-authenticate', 'Bearer');
  // The framework closes the connection after a body it could not parse; ours is discarded.
  reply.removeHeader('connection');
  if (code === 408 || awaitsContinue(request.raw)) reply.header('connection', 'close');
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  reply.code(code).type('application/json; charset=utf-8').send(JSON.stringify(body));
};

const newServer = (
  { log, options }: Services,
  unused: Set<Socket>,
  frameworkError: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance => {
  const loggerInstance: FastifyBaseLogger = log;
  const prefix = prefixOf(options.publicUrl);
  return fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: requestId,
    requestIdHeader: false,
    childLoggerFactory: (logger) => logger,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 32_768 },
    serverFactory: (handler) => listenerOf(options, handler, unused),
    ...(prefix !== '' && {
      rewriteUrl: ({ url = '' }: IncomingMessage) => (url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url),
    }),
    trustProxy: options.trustProxy === undefined || options.trustProxy.length === 0 ? false : [...options.trustProxy],
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => frameworkError(request, reply),
  });
};

/** Answers a URL that cannot be decoded; the caller is checked first, as everywhere below `/v1`. */
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
      throw malformedPath(url) ?? routeNotFound();
    };
    reply.headers(request.protocol === 'https' ? overTls : always).header('x-request-id', request.id);
    answer().catch((error: unknown) => sendError(error, request, reply));
  };

/** Well above the heartbeat of event streams. */
const stalledMs = 60_000;

const addHooks = (
  app: FastifyInstance,
  services: Services,
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
  const { clock, options, stores } = services;
  const { requestTimeoutMs, stalledReaderMs = stalledMs } = options;
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    request.operation = config.operation ?? null;
    if (url !== undefined) request.route = url;
    noteOperation({ kind: 'request', route: `${request.method} ${request.route}` });
    unused.delete(request.raw.socket);
    request.startedAt = performance.now();
    const deadline = new Deadline(clock, requestTimeoutMs, stores.onAway);
    request.deadline = deadline;
    stopping.deadlines.add(deadline);
    // `onResponse` does not fire for an aborted answer.
    reply.raw.once('close', () => {
      const { raw, ticket } = request;
      deadline.cancel();
      stopping.deadlines.delete(deadline);
      ticket?.end();
      if (!raw.complete && !raw.destroyed) discardRest(raw, clock);
      observer.answered(request, reply);
      // A connection busy at shutdown would be kept alive.
      if (closing.aborted) raw.socket.end();
    });
    // Behind a trusted proxy, the client's own scheme counts.
    reply.headers(request.protocol === 'https' ? overTls : always).header('x-request-id', request.id);
    try {
      checkHead(request.raw);
      if (services.cluster !== undefined) verifySender(services.cluster, request);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    request.deadline?.cancel();
    // Disconnects a reader that takes nothing, so that its data does not fill memory.
    reply.raw.setTimeout(stalledReaderMs, () => reply.raw.destroy());
    if (request.headers.expect !== undefined && awaitsContinue(request.raw)) reply.header('connection', 'close');
    done();
  });
};

const readBodies = (app: FastifyInstance, { clock }: Pick<Services, 'clock'>): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', bodyReader(clock));
  app.server.on('checkContinue', (request, response) => {
    holdContinue(request, response);
    app.server.emit('request', request, response);
  });
  // Node's answer would have another shape; unknown expectations may be ignored (RFC 9110, section 10.1.1).
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

const mountVersion1 = (app: FastifyInstance, services: Services, admission: Admission, closing: AbortSignal): void => {
  // A callback, because usually the caller is cached and nothing is awaited.
  app.addHook('onRequest', (request, reply, done) => {
    if (request.operation?.oneTimeToken === true) allowAnyOrigin(reply);
    const entering = admission.enter(request, reply);
    if (entering === null) done();
    else void whenDone(entering, done);
  });
  mountOperations(app, services, operations, closing);
};

const mountAdmin = (app: FastifyInstance, services: Services, admission: Admission, closing: AbortSignal): void => {
  app.addHook('onRequest', async (request) => admission.operator(request));
  mountOperations(app, services, adminOperations, closing);
};

const unknownOrigin = 'https://handset.invalid';

/** Not listening yet. Closing it ends open streams. */
export const buildServer = async (services: Services): Promise<FastifyInstance> => {
  const admission = makeAdmission(services);
  const registry = services.metrics ?? new Registry();
  const closing = new AbortController();
  const stopping = new Stopping();
  setMaxListeners(0, closing.signal);
  const { adminToken = null } = services.options;
  const unused = new Set<Socket>();
  const app = newServer(services, unused, answerBadUrl(admission, unused));
  const noRoute = new NoRoute(app);
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => makeValidator(schema, httpPart));
  app.setErrorHandler(sendError);
  // Without a public URL, each caller gets the address they used.
  let document: string | null = null;
  const { publicUrl } = services.options;
  const described = { ...services.options, publicUrl: publicUrl ?? unknownOrigin };
  const ofOperator = adminToken === null ? [] : adminOperations;
  app.decorate('openApiDocument', (origin: string) => {
    document ??= JSON.stringify(openApiDocument(operations, ofOperator, described));
    return publicUrl === null ? document.replaceAll(unknownOrigin, JSON.stringify(origin).slice(1, -1)) : document;
  });
  addHooks(
    app,
    services,
    makeObserver(registry, services.log, services.options.logRequests),
    closing.signal,
    stopping,
    unused,
  );
  readBodies(app, services);
  app.setNotFoundHandler(noRoute.answer);
  mountServiceRoutes(app, services, registry);
  mountSignIn(app, services, admission);
  mountSnapshot(app, admission);
  mountPreflight(app, operations);
  mountDashboard(app, prefixOf(services.options.publicUrl), services.options.dashboardFolder);
  await app.register(async (scope) => mountSandboxProxy(scope, services, admission), { prefix: '/sandbox' });
  await app.register(async (scope) => mountMcp(scope, services, admission, closing.signal));
  const mountBelow = (prefix: string, mount: typeof mountVersion1) =>
    app.register(
      async (scope) => {
        scope.setNotFoundHandler(noRoute.answer);
        mount(scope, services, admission, closing.signal);
        noRoute.keepWords(scope, prefix);
      },
      { prefix },
    );
  await mountBelow('/v1', mountVersion1);
  if (adminToken !== null) await mountBelow('/admin/v1', mountAdmin);
  app.addHook('preClose', async () => {
    closing.abort();
    stopping.begin(services.clock);
    for (const socket of unused) socket.destroy();
  });
  app.addHook('onClose', async () => stopping.end());
  return app;
};
