/** Devices: create, read, change, restart, disconnect and delete (docs/spec/devices.md). */
import { operation } from '../wire/operation.ts';
import { answer, ok, members, nullableText } from '../wire/build.ts';
import { settingsIn, SettingsSchema, settingsView, UpdateSettingsSchema } from '../schemas/devices/settings.ts';
import { Type } from 'typebox';
import {
  CreateDeviceSchema,
  DeviceSchema,
  RestartDeviceSchema,
  UpdateDeviceSchema,
} from '../schemas/devices/device.ts';
import type { FastifyReply } from 'fastify';
import type { Device } from '../../domain/device.ts';
import type { Devices } from '../../service/devices/devices.ts';
import { nextCursor, pageOf, pageParameters } from '../schemas/page.ts';

const pairingCode = Type.Optional(
  nullableText({ description: 'The pairing code, 8 characters; only when `phoneNumber` was given' }),
);

export const createDevice = operation({
  id: 'createDevice',
  method: 'POST',
  path: '/devices',
  tag: 'Devices',
  summary: 'Create a device',
  description:
    'Answers once the first QR is ready. If the network gives none in time, this is 408 and no device is created.',
  body: {
    schema: CreateDeviceSchema,
    optional: true,
    examples: {
      named: { name: 'Front desk', webhookUrl: 'https://example.com/hook', webhookEvents: ['message.received'] },
      byCode: { phoneNumber: '4915112345678' },
    },
  },
  answer: answer({ device: DeviceSchema, pairingCode }),
  bySchema: true,
  errors: [400, 401, 403, 408, 413, 429, 500],
  async run({ parts, caller, actor, body, signal }) {
    const created = await parts.devices.create(caller.user.id, body, signal, actor);
    return {
      device: created.device,
      ...(body.phoneNumber === undefined ? {} : { pairingCode: created.pairingCode }),
      status: ok(`Device ${created.device.id} created`),
    };
  },
});

const all = async (devices: Devices, userId: number): Promise<readonly Device[]> => {
  const found: Device[] = [];
  let cursor: string | null = null;
  do {
    const page = await devices.list(userId, { limit: 1000, cursor });
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
};

/** The text of a device: an unchanged device is the same object. */
const written = new WeakMap<Device, string>();

const textOf = (device: Device): string => {
  const before = written.get(device);
  if (before !== undefined) return before;
  const text = JSON.stringify(device);
  // A QR changes within a minute.
  if (device.qr === null) written.set(device, text);
  return text;
};

/** Joined from the texts of the devices: of a thousand, most are unchanged. */
const send = (reply: FastifyReply, devices: readonly Device[], rest: object): FastifyReply =>
  reply
    .type('application/json; charset=utf-8')
    .send(`{"devices":[${devices.map(textOf).join(',')}],${JSON.stringify(rest).slice(1)}`);

export const listDevices = operation({
  id: 'listDevices',
  method: 'GET',
  path: '/devices',
  tag: 'Devices',
  summary: 'List devices',
  description: 'All devices of the caller, ordered by id. With `limit` or `cursor`, one page of them and `nextCursor`.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor: Type.Optional(nextCursor) }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller, query, reply }) {
    const status = ok('Devices listed');
    if (query.limit === undefined && query.cursor === undefined) {
      return send(reply, await all(parts.devices, caller.user.id), { status });
    }
    const page = await parts.devices.list(caller.user.id, pageOf(query));
    return send(reply, page.items, { nextCursor: page.nextCursor, status });
  },
});

export const getDevice = operation({
  id: 'getDevice',
  method: 'GET',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Retrieve a device',
  answer: answer({ device: DeviceSchema }),
  bySchema: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope, deviceId }) {
    return { device: await parts.devices.get(scope), status: ok(`Device ${deviceId} retrieved`) };
  },
});

export const updateDevice = operation({
  id: 'updateDevice',
  method: 'PUT',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Update a device',
  description:
    'Changes only the given fields; `{}` changes nothing. Setting `subscription_status` to `active` counts against the device limit again.',
  body: {
    schema: UpdateDeviceSchema,
    examples: {
      rename: { name: 'Back office' },
      noWebhook: { webhookUrl: null },
      stop: { subscription_status: 'inactive' },
    },
  },
  answer: answer({ device: DeviceSchema }),
  bySchema: true,
  atOwner: true,
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, scope, deviceId, body }) {
    const { subscription_status: subscriptionStatus, ...rest } = body;
    const patch = { ...rest, ...(subscriptionStatus === undefined ? {} : { subscriptionStatus }) };
    const device = await parts.devices.update(scope, patch);
    // Deliveries that waited for a URL go out at once.
    if (typeof patch.webhookUrl === 'string') parts.wakeDispatcher();
    return { device, status: ok(`Device ${deviceId} updated`) };
  },
});

export const restartDevice = operation({
  id: 'restartDevice',
  method: 'POST',
  path: '/devices/{id}/restart',
  tag: 'Devices',
  summary: 'Restart a device',
  description:
    'Closes the connection without logging out and starts a new session: a linked device connects again, any other starts a new pairing.',
  body: {
    schema: RestartDeviceSchema,
    optional: true,
    examples: { byQr: {}, byCode: { phoneNumber: '4915112345678' } },
  },
  answer: answer({ pairingCode }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, scope, deviceId, body, signal }) {
    const started = await parts.devices.restart(scope, body.phoneNumber ?? null, signal);
    return {
      ...(started.pairingCode === null ? {} : { pairingCode: started.pairingCode }),
      status: ok(`Device ${deviceId} restarted`),
    };
  },
});

export const disconnectDevice = operation({
  id: 'disconnectDevice',
  method: 'POST',
  path: '/devices/{id}/disconnect',
  tag: 'Devices',
  summary: 'Disconnect a device',
  description: 'Logs the account out and deletes its authentication data. 404 if the device is not connected.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope, deviceId }) {
    await parts.devices.disconnect(scope);
    return { status: ok(`Device ${deviceId} disconnected`) };
  },
});

export const deleteDevice = operation({
  id: 'deleteDevice',
  method: 'DELETE',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Delete a device',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope, deviceId }) {
    await parts.devices.delete(scope);
    return { status: ok(`Device ${deviceId} deleted`) };
  },
});

export const getSettings = operation({
  id: 'getSettings',
  method: 'GET',
  path: '/devices/{id}/settings',
  tag: 'Devices',
  summary: 'Retrieve the settings of a device',
  answer: answer({ settings: SettingsSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ scope, deviceId }) {
    const { settings } = await scope.record();
    return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} retrieved`) };
  },
});

export const updateSettings = operation({
  id: 'updateSettings',
  method: 'PUT',
  path: '/devices/{id}/settings',
  tag: 'Devices',
  summary: 'Update the settings of a device',
  description:
    'Changes only the given fields; `{}` changes nothing. An open session follows at once; with another `proxy` it reconnects.',
  body: {
    schema: UpdateSettingsSchema,
    examples: {
      online: { online: true },
      calls: { rejectCalls: 'Please write instead.' },
      proxy: { proxy: 'socks5://user:password@proxy.example:1080' },
    },
  },
  answer: answer({ settings: SettingsSchema }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, scope, deviceId, body }) {
    const settings = await parts.devices.updateSettings(scope, settingsIn(body));
    return { settings: settingsView(settings), status: ok(`Settings of device ${deviceId} updated`) };
  },
});
