/** Mounts operations: path, checks in the order of docs/spec/http-interface.md (Check order). */
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import type { Operation, AnyCall } from './wire/operation.ts';
import type { Readable } from 'node:stream';
import { noteOperation } from '../domain/turns.ts';
import { LeaseLost } from '../domain/lease.ts';
import { permits, reaches } from '../domain/user.ts';
import { deviceNotFound, notPermitted, requestTimeout } from '../errors.ts';
import { actorOf } from './admission/admission.ts';
import type { Cluster } from './forwarding/cluster.ts';
import { invalidJson, unauthorized } from './wire/errors.ts';
import { checkQuery } from './wire/percent.ts';
import { routeAgain, routeToOwner } from './forwarding/forward.ts';
import type { Services } from './wire/services.ts';

/** Any page may send it: the credential is in a header, and no cookie identifies anyone. */
export const allowAnyOrigin = (reply: FastifyReply): void => {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'x-request-id, handset-reason');
};

/** Answers CORS preflights, also from a public page to a private address. */
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

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

type Done = (error?: Error) => void;

interface Params {
  readonly Params: Readonly<Record<string, string>>;
}

const deviceIdPattern = /^[1-9]\d{0,9}$/;

/** Account-wide: with these a key for some devices would learn of others, or create one. */
const needsAllDevices = ({ path, method }: Operation): boolean =>
  path.startsWith('/webhooks') || (method === 'POST' && (path === '/devices' || path === '/devices/adopt'));

/**
 * Throws Forbidden for what the key may not do, and DeviceNotFound: ownership is checked before the body, so that an invalid body never
 * reveals another user's device. The operator and one-time tokens have no limits, and the operator may reach every device.
 */
const checkAccess = (services: Services, op: Operation) => {
  const { action, path } = op;
  const name = (['id', 'deviceId'] as const).find((each) => path.includes(`{${each}}`));
  return async (request: FastifyRequest<Params>): Promise<void> => {
    const key = request.caller?.key ?? null;
    if (key !== null && action !== 'any' && action !== 'operator') {
      if (!permits(key, action)) throw notPermitted(`do this: it needs the action ${action}`);
      if (key.devices !== null && needsAllDevices(op)) throw notPermitted('do this: it is for some devices only');
    }
    if (name === undefined) return;
    const text = request.params[name] ?? '';
    const id = Number(text);
    if (!deviceIdPattern.test(text) || id > 2_147_483_647) throw deviceNotFound();
    const userId = name === 'id' ? request.caller!.user.id : null;
    if (key !== null && !reaches(key, id)) throw deviceNotFound();
    request.scope = await services.scopes.prove(userId, id, actorOf(request));
  };
};

const checkPresence = (optional: boolean) => (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
  if (request.body !== undefined) return done();
  if (!optional) return done(invalidJson());
  request.body = {};
  done();
};

/** The callback is not called if another node answers: the framework then takes the request as answered. */
const atOwner =
  (services: Services, cluster: Cluster) =>
  (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: Readable,
    done: (error: Error | null, payload?: RequestPayload) => void,
  ): void => {
    const route = async (): Promise<void> => {
      try {
        const next = await routeToOwner(services, cluster, request, reply, payload);
        if (next !== null) done(null, next);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    };
    void route();
  };

/** If the device moves to another node meanwhile, that node answers. */
const runAtOwner = async (services: Services, op: Operation, call: AnyCall): Promise<unknown> => {
  try {
    return await op.run(call);
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    return (await routeAgain(services, call.request, call.reply, error)) ? call.reply : op.run(call);
  }
};

const mountOperation = (app: FastifyInstance, services: Services, op: Operation, closing: AbortSignal): void => {
  app.route<Params>({
    method: op.method,
    url: fastifyPath(op.path),
    config: { operation: op },
    schema: {
      ...(op.body === undefined ? {} : { body: op.body.schema }),
      ...(op.query === undefined ? {} : { querystring: op.query }),
      ...(op.answer === undefined || op.bySchema !== true ? {} : { response: { 200: op.answer } }),
    },
    onRequest: checkAccess(services, op),
    ...(op.atOwner === true && services.cluster !== undefined
      ? { preParsing: atOwner(services, services.cluster) }
      : {}),
    preValidation: [checkQuery, ...(op.body === undefined ? [] : [checkPresence(op.body.optional === true)])],
    handler: (request, reply) => {
      const { deadline, scope, route } = request;
      if (deadline === null) throw requestTimeout();
      noteOperation({ kind: 'request', deviceId: scope?.id ?? null, route: `${request.method} ${route}` });
      const call: AnyCall = {
        services,
        get caller() {
          if (request.caller === null) throw unauthorized();
          return request.caller;
        },
        get actor() {
          return actorOf(request);
        },
        scope,
        deviceId: scope?.id ?? null,
        params: request.params,
        body: request.body,
        query: request.query,
        get signal() {
          return deadline.signal;
        },
        closing,
        request,
        reply,
      };
      return deadline.race(services.cluster === undefined ? op.run(call) : runAtOwner(services, op, call));
    },
  });
};

export const mountOperations = (
  app: FastifyInstance,
  services: Services,
  operations: readonly Operation[],
  closing: AbortSignal,
): void => {
  for (const op of operations) mountOperation(app, services, op, closing);
};
