/** MCP over Streamable HTTP at `/mcp` (docs/clients/mcp.md, Over HTTP). Stateless: tools call the interface with the caller's key and limits. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { declare } from '../contract/operation.ts';
import { noKeyLimits } from '../domain/user.ts';
import { HandsetError } from '../errors.ts';
import type { Client } from '../mcp/client.ts';
import type { Admission } from './admission/admission.ts';
import { originOf } from './forwarding/forward.ts';
import { mountOperations } from './mount.ts';
import { unauthorized } from './wire/errors.ts';
import { handle } from './wire/operation.ts';
import type { Services } from './wire/services.ts';

/** In no OpenAPI document: MCP describes itself. */
const declared = declare({
  id: 'mcp',
  method: 'POST',
  path: '/mcp',
  command: null,
  effect: 'changes',
  action: 'any',
  since: '0.4.0',
  tag: 'Account',
  summary: 'Tools for language models',
  body: {
    schema: Type.Object({}, { additionalProperties: true }),
    examples: { list: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} } },
  },
});

/** DNS rebinding: a page of another site must not reach the service (MCP, Streamable HTTP, security). */
const checkOrigin = (request: FastifyRequest, publicUrl: string | null): void => {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const own = [originOf(request), ...(publicUrl === null ? [] : [new URL(publicUrl).origin])];
  if (!own.includes(origin)) throw new HandsetError('Forbidden', 'Pages of other sites may not use /mcp');
};

const messageIn = (text: string, code: number): string => {
  try {
    type Told = { readonly message?: string } | string | undefined;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer of the interface (wire/errors.ts)
    const { error, status } = JSON.parse(text) as { readonly error?: Told; readonly status?: Told };
    const told = [error, status].find((part) => typeof part === 'object');
    return told?.message ?? `the service answered HTTP ${code}`;
  } catch {
    return `the service answered HTTP ${code}`;
  }
};

const clientOf = (app: FastifyInstance, request: FastifyRequest, until: AbortSignal): Client => {
  const { authorization = '', host = '' } = request.headers;
  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) => ({
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tools name methods of the interface
    method: method as 'GET',
    url: `/v1${path}`,
    remoteAddress: request.ip,
    headers: {
      authorization,
      host,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return {
    url: originOf(request),
    async call(method, path, body, headers = {}) {
      const answer = await app.inject({ ...send(method, path, headers, body), signal: until });
      if (answer.statusCode >= 300) throw new Error(messageIn(answer.payload, answer.statusCode));
      return answer.json();
    },
    async open(path, accept, headers = {}, signal = until) {
      const both = AbortSignal.any([signal, until]);
      const answer = await app.inject({
        ...send('GET', path, { accept, ...headers }),
        payloadAsStream: true,
        signal: both,
      });
      const bytes = answer.stream();
      if (answer.statusCode >= 300) {
        throw new Error(messageIn(Buffer.concat(await bytes.toArray()).toString(), answer.statusCode));
      }
      const type = answer.headers['content-type'] ?? 'application/octet-stream';
      return new Response(Readable.toWeb(bytes), { headers: { 'content-type': type } });
    },
  };
};

const answerWith = async (reply: FastifyReply, response: Response): Promise<FastifyReply> => {
  reply.code(response.status);
  for (const name of ['content-type', 'allow', 'cache-control', 'mcp-session-id']) {
    const value = response.headers.get(name);
    if (value !== null) reply.header(name, value);
  }
  return reply.send(response.body === null ? undefined : Readable.fromWeb(response.body));
};

const operationOf = (app: FastifyInstance, services: Services) =>
  handle(declared, async ({ caller, request, reply, body, closing }) => {
    // A tool may wait for an event; its requests have their own timeouts.
    request.deadline?.pause();
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const until = AbortSignal.any([gone.signal, closing]);
    const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('../mcp/server.ts'),
    ]);
    const offered = { limits: caller.key ?? noKeyLimits };
    const client = clientOf(app, request, until);
    const handler = createMcpHandler(() => makeMcpServer(client, services.options.version, offered));
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) {
      if (typeof value === 'string' && name !== 'content-length' && name !== 'authorization') headers.set(name, value);
    }
    const asked = new Request(`${originOf(request)}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      signal: until,
    });
    return answerWith(reply, await handler.fetch(asked, { parsedBody: body }));
  });

export const mountMcp = (
  app: FastifyInstance,
  services: Services,
  admission: Admission,
  closing: AbortSignal,
): void => {
  app.addHook('onRequest', async (request, reply) => {
    checkOrigin(request, services.options.publicUrl);
    if (request.headers.authorization === undefined || request.passedOn) throw unauthorized();
    // Takes none of the user's slots, which the tools' requests need.
    request.caller = await admission.user(request, reply);
  });
  mountOperations(app, services, [operationOf(app, services)], closing);
};
