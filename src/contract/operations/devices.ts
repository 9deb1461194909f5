/** Devices: create, read, change, restart, disconnect and delete (docs/spec/devices.md). */
import { creationHeader } from './sent.ts';
import { Type } from 'typebox';
import { nullableText, answer, members } from '../build.ts';
import {
  AdoptDeviceSchema,
  AdoptedSchema,
  CreateDeviceSchema,
  DeviceSchema,
  UpdateDeviceSchema,
  RestartDeviceSchema,
  SessionFilesSchema,
  SettingsSchema,
  UpdateSettingsSchema,
} from '../schemas/devices/device.ts';
import { changes, declare, destroys, reads } from '../operation.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';

const pairingCode = Type.Optional(
  nullableText({ description: 'The pairing code, 8 characters; only when `phoneNumber` was given' }),
);

export const createDevice = declare({
  id: 'createDevice',
  method: 'POST',
  path: '/devices',
  command: 'device create',
  client: 'devices.create',
  ...changes('0.1.0', 'manage'),
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
  headers: creationHeader,
  answer: answer({ device: DeviceSchema, pairingCode }),
  bySchema: true,
  errors: ['deviceLimitReached', 'pairingFailed', 'networkUnreachable'],
});

/** Bytes; sessions with thousands of people take about ten megabytes in Baileys' form. */
const adoptionLimit = 24 * 1_048_576;
/** A name, a content and a comma for each of 100,000 files, and some more. */
const adoptionValues = 301_000;

export const adoptDevice = declare({
  id: 'adoptDevice',
  method: 'POST',
  path: '/devices/adopt',
  command: 'device adopt <folder|file>',
  client: 'devices.adopt',
  ...changes('0.4.0', 'manage'),
  tag: 'Devices',
  summary: 'Adopt the session of another program',
  description:
    "Moves an account in without a new pairing, from a program that is built on Baileys: give the files of its session folder, which are those of Baileys' multi-file state. Stop that program first and keep it stopped: two programs with one link disconnect each other. The device connects at once. `adopted` counts what came along; messages and chats stay there.",
  body: {
    schema: AdoptDeviceSchema,
    limit: adoptionLimit,
    maxValues: adoptionValues,
    examples: {
      folder: { name: 'Front desk', files: { 'creds.json': '{"noiseKey":…}', 'session-4915550001111.0.json': '{…}' } },
    },
  },
  headers: creationHeader,
  answer: answer({ device: DeviceSchema, adopted: AdoptedSchema }),
  errors: ['deviceLimitReached'],
});

export const releaseDevice = declare({
  id: 'releaseDevice',
  method: 'POST',
  path: '/devices/{id}/release',
  command: 'device release <device> <folder>',
  client: 'devices.release',
  ...changes('0.4.0', 'manage'),
  tag: 'Devices',
  summary: 'Hand the session to another program',
  description:
    "Stops the device and answers with its session as the files of Baileys' multi-file state, for a program that is built on Baileys. They are secret: whoever has them has the account. The device stays here, stopped; deleting it then does not log the account out.",
  answer: answer({ files: SessionFilesSchema }),
  atOwner: true,
  errors: ['notLinkedYet'],
});

export const listDevices = declare({
  id: 'listDevices',
  path: '/devices',
  command: 'device list',
  client: 'devices.list',
  ...reads('0.1.0'),
  tag: 'Devices',
  summary: 'List devices',
  description: 'All devices of the caller, ordered by id. With `limit` or `cursor`, one page of them and `nextCursor`.',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor: Type.Optional(nextCursor) }),
});

export const getDevice = declare({
  id: 'getDevice',
  path: '/devices/{id}',
  command: 'device show <device>',
  client: 'devices.get',
  ...reads('0.1.0'),
  tag: 'Devices',
  summary: 'Retrieve a device',
  description: 'With its status and counters, and the QR while it waits to be paired.',
  answer: answer({ device: DeviceSchema }),
  bySchema: true,
});

export const updateDevice = declare({
  id: 'updateDevice',
  method: 'PUT',
  path: '/devices/{id}',
  command: 'device rename <device> <name>',
  client: 'devices.update',
  tool: {
    name: 'update_device',
    description: 'Renames a device, or stops (inactive: the pairing is kept) and starts its session',
    takes: ['name', 'subscription_status'],
  },
  ...changes('0.1.0', 'manage'),
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
  errors: ['deviceLimitReached'],
});

export const restartDevice = declare({
  id: 'restartDevice',
  method: 'POST',
  path: '/devices/{id}/restart',
  command: 'device restart <device>',
  client: 'devices.restart',
  tool: {
    name: 'restart_device',
    description:
      'Connects a linked device again, or starts a new pairing of an unlinked one (then get_device has the QR)',
  },
  ...changes('0.1.0', 'manage'),
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
  errors: ['deviceInactive', 'pairingFailed', 'restartFailed', 'networkUnreachable'],
});

export const disconnectDevice = declare({
  id: 'disconnectDevice',
  method: 'POST',
  path: '/devices/{id}/disconnect',
  command: 'device disconnect <device>',
  client: 'devices.disconnect',
  tool: {
    name: 'disconnect_device',
    description: 'Logs the account out on the network; the device has to be paired again to be used',
  },
  ...destroys('0.1.0', 'manage'),
  tag: 'Devices',
  summary: 'Disconnect a device',
  description: 'Logs the account out and deletes its authentication data. 404 if the device is not connected.',
  answer: answer({}),
  atOwner: true,
  errors: ['notConnected', 'disconnectFailed'],
});

export const deleteDevice = declare({
  id: 'deleteDevice',
  method: 'DELETE',
  path: '/devices/{id}',
  command: 'device delete <device>',
  client: 'devices.delete',
  tool: {
    name: 'delete_device',
    description: 'Deletes a device with its messages, events and keys. It cannot be brought back',
  },
  ...destroys('0.1.0', 'manage'),
  tag: 'Devices',
  summary: 'Delete a device',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
  errors: ['disconnectFailed'],
});

export const getSettings = declare({
  id: 'getSettings',
  path: '/devices/{id}/settings',
  command: 'device settings <device>',
  client: 'devices.settings',
  ...reads('0.3.0'),
  tag: 'Devices',
  summary: 'Retrieve the settings of a device',
  description: 'Settings that were never set have their defaults.',
  answer: answer({ settings: SettingsSchema }),
});

export const updateSettings = declare({
  id: 'updateSettings',
  method: 'PUT',
  path: '/devices/{id}/settings',
  command: 'device settings <device>',
  nullWords: { presence: 'none', newChatsPerDay: 'none', stopWords: 'none', proxy: 'none' },
  client: 'devices.updateSettings',
  tool: {
    name: 'update_settings',
    description: 'Changes settings of a device; what is left out stays',
    takes: ['online', 'readReceipts', 'rejectCalls', 'newChatsPerDay', 'statuses', 'channels', 'proxy'],
  },
  ...changes('0.3.0', 'manage'),
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
});
