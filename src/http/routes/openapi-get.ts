/** `GET /openapi.json` (docs/spec/http-interface.md, Endpoints). */
import { operation } from '../wire/operation.ts';

/** Decorated on the server once all operations are known. */
declare module 'fastify' {
  interface FastifyInstance {
    openApiDocument: string;
  }
}

export const getOpenApi = operation({
  id: 'getOpenApi',
  method: 'GET',
  path: '/openapi.json',
  tag: 'Service',
  summary: 'Retrieve this document',
  description: 'Also served at `/openapi.json` without a key.',
  otherContent: [{ type: 'application/json', description: 'OpenAPI 3.1' }],
  errors: [401, 408, 429, 500],
  async run({ request, reply }) {
    return reply.type('application/json; charset=utf-8').send(request.server.openApiDocument);
  },
});
