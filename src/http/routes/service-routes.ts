/** Routes outside `/v1`, without a key: health, metrics and the description of the interface. */
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { notFound } from '../../errors.ts';
import { nodePath } from '../forwarding/cluster.ts';
import { docsPage, docsPolicy } from '../openapi/docs-page.ts';
import { clientVersionView } from '../schemas/client-version.ts';
import { refuseOtherMethods } from '../server/mount.ts';
import type { Parts } from '../server/parts.ts';

export const mountServiceRoutes = (app: FastifyInstance, parts: Parts, registry: Registry): void => {
  app.get('/health/live', async () => ({ status: { code: 200, message: 'Live' } }));
  app.get('/health/ready', async (_request, reply) => {
    const { ready, checks } = await parts.readiness();
    const code = ready ? 200 : 503;
    const message = ready ? 'Ready' : 'Not ready';
    const details = parts.clientVersion && { clientVersion: clientVersionView(parts.clientVersion()) };
    return reply.code(code).send({ status: { code, message }, checks, ...(details && { details }) });
  });
  const { cluster } = parts;
  if (cluster !== undefined) {
    app.get(nodePath, async (request) => {
      if (request.passedOn === null) throw notFound('Route');
      return { database: await cluster.reachesDatabase() };
    });
  }
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(app.openApiDocument),
  );
  app.get('/docs', async (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', docsPolicy).send(docsPage),
  );
  for (const path of ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs']) {
    refuseOtherMethods(app, path, ['GET']);
  }
};
