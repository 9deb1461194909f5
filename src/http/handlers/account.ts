/** The caller, their usage (docs/spec/users.md), and the OpenAPI document. */
import { operation } from '../wire/operation.ts';
import { ServiceSchema, UserSchema, userView } from '../schemas/account.ts';
import { clientVersionView, networkReachView, unknownReach } from '../schemas/service.ts';
import { answer, members, ok } from '../wire/build.ts';
import { Type } from 'typebox';
import { usageParameters, UsageSchema, usageSpan, usageView } from '../schemas/usage.ts';

export const getMe = operation({
  id: 'getMe',
  method: 'GET',
  path: '/me',
  tag: 'Account',
  summary: 'Retrieve the caller, with limits and usage',
  answer: answer({ user: UserSchema, service: ServiceSchema }),
  errors: [401, 408, 429, 500],
  async run({ parts, caller: { user } }) {
    const { version, sandboxControlUrl, rateLimit } = parts.options;
    const activeDevices = await parts.users.countActiveDevices(user.id);
    const network: 'whatsapp' | 'sandbox' = sandboxControlUrl === null ? 'whatsapp' : 'sandbox';
    const client = parts.clientVersion === undefined ? null : clientVersionView(parts.clientVersion());
    return {
      user: userView(user, activeDevices, rateLimit),
      service: {
        version,
        network,
        sandboxControlUrl,
        client,
        reach: networkReachView(parts.networkReach?.() ?? unknownReach),
      },
      status: ok('User retrieved'),
    };
  },
});

export const getDeviceUsage = operation({
  id: 'getDeviceUsage',
  method: 'GET',
  path: '/devices/{id}/usage',
  tag: 'Account',
  summary: 'Count the messages and deliveries of a device by the hour or the day',
  query: members(usageParameters),
  answer: answer({ usage: Type.Array(UsageSchema) }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId, query }) {
    const usage = await parts.stores.usage.ofDevice(deviceId, usageSpan(query, parts.clock.now()));
    return { usage: usage.map(usageView), status: ok('Usage counted') };
  },
});

export const getUsage = operation({
  id: 'getUsage',
  method: 'GET',
  path: '/usage',
  tag: 'Account',
  summary: 'Count the messages and deliveries of all devices by the hour or the day',
  query: members(usageParameters),
  answer: answer({ usage: Type.Array(UsageSchema) }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller: { user }, query }) {
    const usage = await parts.stores.usage.ofUser(user.id, usageSpan(query, parts.clock.now()));
    return { usage: usage.map(usageView), status: ok('Usage counted') };
  },
});

/** Decorated once all operations are known. */
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
