/** Requests from a browser without an API key: one answer with a one-time token, from any page. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { passkeyTokenPrefix } from '../../service/devices/passkey-tokens.ts';
import { type Caller, bearerOf } from './authenticate.ts';
import { unauthorized } from '../server/errors.ts';
import type { Operation } from '../server/operation.ts';
import type { Parts } from '../server/parts.ts';

const isParams = (value: unknown): value is { readonly id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string';

/** The owner of the device that the token is for; null when the request carries none, or may not carry one. */
export const callerByToken = async ({ devices }: Parts, request: FastifyRequest): Promise<Caller | null> => {
  const secret = bearerOf(request.headers.authorization);
  if (request.operation?.oneTimeToken !== true || secret?.startsWith(passkeyTokenPrefix) !== true) return null;
  const { params } = request;
  const id = isParams(params) && /^[1-9]\d{0,9}$/.test(params.id) ? Number(params.id) : 0;
  const user = await devices.passkeys.ownerOf(id, secret);
  if (user === null) throw unauthorized();
  return { user, key: null, secret };
};

/** Any page may send the answer: what it needs is in the header, and no cookie stands for anybody. */
export const allowAnyOrigin = (reply: FastifyReply): void => {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', 'x-request-id');
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
