/**
 * What a page of the dashboard loads at first, in one answer: each part is a request below `/v1` of the same caller, with all its checks and limits, made in
 * process. Parts that fail are left out; the page then asks for them itself.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalidRequest } from '../errors.ts';
import type { Admission } from './admission/admission.ts';
import { refuseOtherMethods } from './mount.ts';
import { answersBusy } from './wire/errors.ts';

const maxParts = 8;

const part =
  /^\/v1\/(?:me|accounts|devices|devices\/\d{1,10}\/(?:session|chats|messages|messages\/scheduled))(?:\?[^#]{0,1000})?$/;

const partsIn = (of: string | readonly string[] = []): readonly string[] => {
  const paths = typeof of === 'string' ? [of] : of;
  if (paths.length === 0 || paths.length > maxParts || paths.some((path) => path.length > 1100 || !part.test(path)))
    throw invalidRequest(`of must be 1 to ${maxParts} paths that the dashboard loads at first`);
  return paths;
};

const passedOn = ['authorization', 'cookie', 'handset-dashboard', 'host', 'sec-fetch-site'] as const;

const headersOf = ({ headers }: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

export const mountSnapshot = (app: FastifyInstance, admission: Admission): void => {
  /** Users with one under way: its answers are whole in memory. */
  const busy = new Set<number>();
  app.get<{ Querystring: { readonly of?: string | readonly string[] } }>(
    '/session/snapshot',
    async (request, reply) => {
      const { user } = await admission.known(request, reply);
      const paths = partsIn(request.query.of);
      if (busy.has(user.id)) throw answersBusy();
      busy.add(user.id);
      try {
        const shared = { remoteAddress: request.ip, headers: headersOf(request), signal: request.deadline!.signal };
        const all = await Promise.all(
          paths.map(async (url) => ({ url, answer: await app.inject({ url, ...shared }) })),
        );
        for (const [name, value] of Object.entries(all.at(-1)!.answer.headers))
          if (name.startsWith('ratelimit-')) reply.header(name, value);
        const told = all.filter(({ answer }) => answer.statusCode === 200);
        const answers = told.map(({ url, answer }) => `${JSON.stringify(url)}:${answer.payload}`).join(',');
        const status = JSON.stringify({ code: 200, message: 'Loaded' });
        return await reply.type('application/json; charset=utf-8').send(`{"answers":{${answers}},"status":${status}}`);
      } finally {
        busy.delete(user.id);
      }
    },
  );
  refuseOtherMethods(app, '/session/snapshot', ['GET']);
};
