/** Routes without a key: health, metrics and the OpenAPI document. */
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { routeNotFound } from './wire/errors.ts';
import { nodePath } from './forwarding/cluster.ts';
import { isFromNode } from './wire/node-auth.ts';
import { clientVersionView, troubleView, networkReachView } from './schemas/service.ts';
import { acceptsGzip } from './dashboard.ts';
import { refuseOtherMethods } from './mount.ts';
import type { Parts } from './wire/parts.ts';

export const mountServiceRoutes = (app: FastifyInstance, parts: Parts, registry: Registry): void => {
  app.get('/health/live', async () => ({ status: { code: 200, message: 'Live' } }));
  app.get('/health/ready', async (_request, reply) => {
    const { ready, checks } = await parts.readiness();
    const code = ready ? 200 : 503;
    const message = ready ? 'Ready' : 'Not ready';
    const { clientVersion, networkReach, trouble } = parts;
    const details = clientVersion &&
      networkReach && {
        clientVersion: clientVersionView(clientVersion()),
        network: networkReachView(networkReach()),
        ...(trouble && troubleView(trouble())),
      };
    return reply.code(code).send({ status: { code, message }, checks, ...(details && { details }) });
  });
  const { cluster } = parts;
  if (cluster !== undefined) {
    app.get(nodePath, async (request) => {
      if (!isFromNode(request)) throw routeNotFound();
      return { database: await cluster.reachesDatabase() };
    });
  }
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  let zipped: Buffer | null = null;
  app.get('/openapi.json', async (request, reply) => {
    reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding');
    if (!acceptsGzip(request)) return reply.send(app.openApiDocument);
    zipped ??= gzipSync(app.openApiDocument);
    return reply.header('content-encoding', 'gzip').send(zipped);
  });
  for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json']) {
    refuseOtherMethods(app, path, ['GET']);
  }
};
