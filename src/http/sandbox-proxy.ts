/** In sandbox mode: forwards `/sandbox/…` to the sandbox's control interface, so that the dashboard can show its phones. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { permits } from '../domain/user.ts';
import { HandsetError, messageOf, notPermitted } from '../errors.ts';
import { routeNotFound } from './wire/errors.ts';
import type { Admission } from './admission/admission.ts';
import type { Services } from './wire/services.ts';

const hasBody = ({ method, headers }: FastifyRequest): boolean =>
  method !== 'GET' && (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined);

const targetOf = (controlUrl: string, request: FastifyRequest): URL => {
  const base = new URL(controlUrl);
  const target = new URL(`${controlUrl}${(request.raw.url ?? '').slice('/sandbox'.length)}`);
  if (target.origin !== base.origin || !`${target.pathname}/`.startsWith(`${base.pathname}/`)) throw routeNotFound();
  return target;
};

const forward = async (controlUrl: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const target = targetOf(controlUrl, request);
  let answer: Response;
  try {
    answer = await fetch(target, {
      method: request.method,
      redirect: 'error',
      ...(request.deadline === null ? {} : { signal: request.deadline.signal }),
      ...(hasBody(request)
        ? {
            headers: { 'content-type': 'application/json' },
            body: Readable.toWeb(request.raw),
            duplex: 'half' as const,
          }
        : {}),
    });
  } catch (error) {
    if (request.deadline?.signal.aborted === true) throw request.deadline.signal.reason;
    throw new HandsetError('Internal', `The sandbox does not answer: ${messageOf(error)}`);
  }
  const bytes = Buffer.from(await answer.arrayBuffer());
  return reply
    .code(answer.status)
    .type(answer.headers.get('content-type') ?? 'application/json')
    .header('content-security-policy', "default-src 'none'; sandbox")
    .send(bytes);
};

/** Requires an API key, but is not rate limited: it only reaches the sandbox. */
export const mountSandboxProxy = (app: FastifyInstance, services: Services, admission: Admission): void => {
  const { sandboxControlUrl } = services.options;
  if (sandboxControlUrl === null) return;
  app.addHook('onRequest', async (request, reply) => {
    const { key } = await admission.known(request, reply);
    // The phones can reach all devices.
    if (key?.devices || (key && !permits(key, request.method === 'GET' ? 'read' : 'manage')))
      throw notPermitted('move the phones of the sandbox');
  });
  for (const url of ['/', '/*']) {
    app.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url,
      handler: (request, reply) => forward(sandboxControlUrl, request, reply),
    });
  }
};
