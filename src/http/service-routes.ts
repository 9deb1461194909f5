/** Routes without a key: health, metrics and the OpenAPI document. */
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { routeNotFound } from './wire/errors.ts';
import { nodePath } from './forwarding/cluster.ts';
import { originOf } from './forwarding/forward.ts';
import { clientVersionView, troubleView, networkReachView } from './views/service.ts';
import { acceptsGzip } from './dashboard.ts';
import type { Services } from './wire/services.ts';

const maxOrigins = 8;

export const mountServiceRoutes = (app: FastifyInstance, services: Services, registry: Registry): void => {
  app.get('/health/live', async () => ({ status: { code: 200, message: 'Live' } }));
  app.get('/health/ready', async (_request, reply) => {
    const { ready, checks } = await services.readiness();
    const code = ready ? 200 : 503;
    const message = ready ? 'Ready' : 'Not ready';
    const { clientVersion, networkReach, trouble } = services;
    const details = clientVersion &&
      networkReach && {
        clientVersion: clientVersionView(clientVersion()),
        network: networkReachView(networkReach()),
        ...(trouble && troubleView(trouble())),
      };
    return reply.code(code).send({ status: { code, message }, checks, ...(details && { details }) });
  });
  const { cluster } = services;
  if (cluster !== undefined) {
    app.get(nodePath, async (request) => {
      if (!request.passedOn) throw routeNotFound();
      return { database: await cluster.reachesDatabase() };
    });
  }
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  const zipped = new Map<string, Buffer>();
  app.get('/openapi.json', async (request, reply) => {
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding');
    const origin = originOf(request);
    const document = app.openApiDocument(origin);
    // Compression is expensive, so requests with ever new host names do not cause it.
    if (!acceptsGzip(request) || (zipped.size === maxOrigins && !zipped.has(origin))) return reply.send(document);
    const bytes = zipped.get(origin) ?? gzipSync(document);
    zipped.set(origin, bytes);
    return reply.header('content-encoding', 'gzip').send(bytes);
  });
};
