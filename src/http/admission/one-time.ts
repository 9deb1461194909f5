/** Requests with a one-time token come from any page. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Operation } from '../wire/operation.ts';

/** Any page may send the answer: what it needs is in the header, and no cookie stands for anybody. */
export const allowAnyOrigin = (reply: FastifyReply): void => {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'x-request-id, handset-reason');
};

/** Answers CORS preflights, which carry no key; also from a public page to a private address. */
export const mountPreflight = (app: FastifyInstance, operations: readonly Operation[]): void => {
  for (const { oneTimeToken, path, method } of operations) {
    if (oneTimeToken !== true) continue;
    app.options(`/v1${path.replace(/\{(\w+)\}/g, ':$1')}`, async (_request, reply) =>
      reply
        .code(204)
        .header('access-control-allow-origin', '*')
        .header('access-control-allow-methods', method)
        .header('access-control-allow-headers', 'authorization, content-type')
        .header('access-control-allow-private-network', 'true')
        .header('access-control-max-age', '600')
        .send(),
    );
  }
};
