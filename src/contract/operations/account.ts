/** The caller, their usage (docs/spec/users.md), and the OpenAPI document. */
import { answer, members, nullable } from '../build.ts';
import { KeySchema, UserSchema, ServiceSchema, usageParameters, UsageSchema } from '../schemas/account.ts';
import { declare, reads } from '../operation.ts';
import { Type } from 'typebox';

export const getMe = declare({
  id: 'getMe',
  path: '/me',
  command: 'account show',
  client: 'account.get',
  ...reads('0.1.0', 'any'),
  tag: 'Account',
  summary: 'Retrieve the caller, with limits and usage',
  description: 'The user whom the key belongs to, and the state of the service.',
  answer: answer({ user: UserSchema, key: nullable(KeySchema), service: ServiceSchema }),
});

export const getDeviceUsage = declare({
  id: 'getDeviceUsage',
  path: '/devices/{id}/usage',
  command: 'usage <device>',
  client: 'devices.usage',
  tool: {
    name: 'get_usage',
    description:
      'Messages, deliveries and failed posts by the hour or the day, of a device or of all; the newest 31 intervals',
  },
  ...reads('0.3.0'),
  tag: 'Account',
  summary: 'Count the messages and deliveries of a device by the hour or the day',
  description: 'One entry for each interval, oldest first, also where nothing happened.',
  query: members(usageParameters),
  answer: answer({ usage: Type.Array(UsageSchema) }),
});

export const getUsage = declare({
  id: 'getUsage',
  path: '/usage',
  command: 'usage',
  client: 'account.usage',
  ...reads('0.3.0'),
  tag: 'Account',
  summary: 'Count the messages and deliveries of all devices by the hour or the day',
  description: 'One entry for each interval, oldest first, also where nothing happened.',
  query: members(usageParameters),
  answer: answer({ usage: Type.Array(UsageSchema) }),
});

export const getOpenApi = declare({
  id: 'getOpenApi',
  path: '/openapi.json',
  command: null,
  client: null,
  ...reads('0.1.0', 'any'),
  tag: 'Service',
  summary: 'Retrieve this document',
  description: 'Also served at `/openapi.json` without a key.',
  otherContent: [{ type: 'application/json', description: 'OpenAPI 3.1' }],
});
