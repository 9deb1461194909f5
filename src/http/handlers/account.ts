/** The caller, their usage (docs/spec/users.md), and the OpenAPI document. */
import * as declared from '../../contract/operations/account.ts';
import { clientVersionView, networkReachView, unknownReach } from '../views/service.ts';
import { keyView, userView } from '../views/account.ts';
import { originOf } from '../forwarding/forward.ts';
import { ok, parseTimestamp } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { type Usage, type UsageSpan, type UsageStep, usageSteps } from '../../domain/usage.ts';
import { invalidRequest } from '../../errors.ts';

const maxIntervals = 1_000;

const usual: Readonly<Record<UsageStep, number>> = { hour: 24, day: 30 };

/** Throws InvalidRequest for a reversed span, or more than 1,000 intervals. */
const usageSpan = (
  query: { readonly by?: UsageStep; readonly since?: string; readonly until?: string },
  now: number,
): UsageSpan => {
  const by = query.by ?? 'hour';
  const until = query.until === undefined ? now : parseTimestamp('until', query.until);
  const since =
    query.since === undefined ? until - (usual[by] - 1) * usageSteps[by] : parseTimestamp('since', query.since);
  if (since > until) throw invalidRequest('since must not be after until');
  if ((until - since) / usageSteps[by] >= maxIntervals) {
    throw invalidRequest(`since and until must not be more than ${maxIntervals} ${by}s apart`);
  }
  return { by, since, until };
};

const usageView = ({ from, ...counts }: Usage) => ({ from: new Date(from).toISOString(), ...counts });

export const getMe = handle(declared.getMe, async ({ services, caller: { user, key } }) => {
  const { version, sandboxControlUrl, rateLimit } = services.options;
  const activeDevices = await services.users.countActiveDevices(user.id, key?.devices);
  const network: 'whatsapp' | 'sandbox' = sandboxControlUrl === null ? 'whatsapp' : 'sandbox';
  const client = services.clientVersion === undefined ? null : clientVersionView(services.clientVersion());
  return {
    user: userView(user, activeDevices, rateLimit),
    key: key && keyView(key),
    service: {
      version,
      network,
      sandboxControlUrl,
      client,
      reach: networkReachView(services.networkReach?.() ?? unknownReach),
    },
    status: ok('User retrieved'),
  };
});

export const getDeviceUsage = handle(declared.getDeviceUsage, async ({ services, deviceId, query }) => {
  const usage = await services.stores.usage.ofDevice(deviceId, usageSpan(query, services.clock.now()));
  return { usage: usage.map(usageView), status: ok('Usage counted') };
});

export const getUsage = handle(declared.getUsage, async ({ services, caller: { user, key }, query }) => {
  const usage = await services.stores.usage.ofUser(user.id, usageSpan(query, services.clock.now()), key?.devices);
  return { usage: usage.map(usageView), status: ok('Usage counted') };
});

declare module 'fastify' {
  interface FastifyInstance {
    openApiDocument: (origin: string) => string;
  }
}

export const getOpenApi = handle(declared.getOpenApi, async ({ request, reply }) => {
  return reply.type('application/json; charset=utf-8').send(request.server.openApiDocument(originOf(request)));
});
