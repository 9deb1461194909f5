/** `GET /devices/{id}/usage` and `GET /usage` (docs/spec/users.md, Usage). */
import { Type } from 'typebox';
import { answer, members, ok } from '../wire/build.ts';
import { UsageSchema, usageParameters, usageSpan, usageView } from '../schemas/usage.ts';
import { operation } from '../wire/operation.ts';

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
