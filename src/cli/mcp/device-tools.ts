/** MCP tools for devices: list, show, create, pair again, change, disconnect, delete. */
import { z } from 'zod';
import type { Device } from '../../domain/device.ts';
import type { Client } from '../client/client.ts';
import { findDevices } from './find-devices.ts';
import {
  addTool,
  acts,
  cursor,
  destroys,
  device,
  imageIn,
  limit,
  nextCursor,
  reads,
  sets,
  status,
  type Tools,
  phone,
} from './tool.ts';

const deviceView = z.object({
  id: z.number(),
  name: z.string(),
  status: z.enum(['connected', 'qr', 'timeout']),
  hasQr: z.boolean().describe('Whether a QR waits to be scanned; it is shown as an image'),
  webhookUrl: z.string().nullable(),
  messagesSent: z.number(),
  subscription_status: z.enum(['active', 'inactive']),
  createdAt: z.string(),
});

/** The QR goes as an image, not as text. */
const shown = ({ qr, ...rest }: Device) => ({ ...rest, hasQr: qr !== null });

const phoneNumber = phone
  .optional()
  .describe('Pair by a code instead of the QR: the number of the account, with country code');

const settings = z.looseObject({
  online: z.boolean(),
  readReceipts: z.boolean(),
  rejectCalls: z.boolean(),
  newChatsPerDay: z.int().nullable(),
  proxy: z.string().nullable(),
});

const registerReads = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_devices',
    title: 'List devices',
    description: 'The WhatsApp devices of this key with their status and number, a page at a time. Filters narrow them',
    input: z.object({
      status: z
        .enum(['connected', 'qr', 'timeout'])
        .optional()
        .describe('qr: waits to be paired; timeout: not connected'),
      number: phone.optional().describe('Digits within the phone number of the account'),
      name: z.string().min(1).optional().describe('Text within the name of the device or the account'),
      limit,
      cursor,
    }),
    output: z.object({
      devices: z.array(
        z.object({
          id: z.number(),
          name: z.string(),
          status: z.string(),
          number: z.string().nullable(),
          account: z.string().nullable().describe('Name of the account'),
          active: z.boolean(),
        }),
      ),
      nextCursor,
    }),
    hints: reads,
    run: (given) => findDevices(client, given),
  });
  addTool(tools, {
    name: 'get_device',
    title: 'Show a device',
    description:
      'One device with its session (state, linked account, what is wrong), its settings, and the QR while it waits for a scan',
    input: z.object({ device }),
    output: z.object({
      device: deviceView,
      session: z.looseObject({ state: z.string(), reason: z.string().nullable() }),
      settings,
    }),
    hints: reads,
    run: async (given) => {
      const path = `/devices/${given.device}`;
      const { device: found } = await client.call<{ device: Device }>('GET', path);
      const { session } = await client.call<{ session: unknown }>('GET', `${path}/session`);
      const { settings: set } = await client.call<{ settings: unknown }>('GET', `${path}/settings`);
      return { value: { device: shown(found), session, settings: set }, image: imageIn(found.qr) };
    },
  });
};

const registerLimits = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'get_limits',
    title: 'Show limits',
    description:
      'What restricts the account of a device: a ban, a time lock, how many new chats are left, and what to do',
    input: z.object({ device }),
    output: z.object({
      limits: z.looseObject({ restrictedUntil: z.string().nullable(), reason: z.string().nullable() }),
    }),
    hints: reads,
    run: (given) => client.call('GET', `/devices/${given.device}/limits`),
  });
};

const registerUsage = (tools: Tools): void =>
  addTool(tools, {
    name: 'get_usage',
    title: 'Count messages',
    description: 'Messages, deliveries and failed posts by the hour or the day, of a device or of all',
    input: z.object({
      device: device.optional(),
      by: z.enum(['hour', 'day']).default('day'),
      since: z.string().describe('From this time on (RFC 3339); the newest 31 intervals are shown').optional(),
      until: z.string().describe('Up to this time (RFC 3339)').optional(),
    }),
    output: z.object({
      usage: z.array(
        z.object({
          from: z.string(),
          sent: z.number(),
          received: z.number(),
          failed: z.number(),
          deliveries: z.record(z.string(), z.number()),
          failedPosts: z.number(),
        }),
      ),
    }),
    hints: reads,
    run: async ({ device: id, by, since, until }) => {
      const query = new URLSearchParams({
        by,
        ...(since !== undefined && { since }),
        ...(until !== undefined && { until }),
      });
      const path = id === undefined ? '/usage' : `/devices/${id}/usage`;
      const { usage } = await tools.client.call<{ usage: readonly unknown[] }>('GET', `${path}?${query.toString()}`);
      return { usage: usage.slice(-maxIntervals) };
    },
  });

/** The newest month of days. */
const maxIntervals = 31;

const registerPairing = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'create_device',
    title: 'Create a device',
    description:
      'Makes a device. The person scans the QR with the phone (Settings, Linked devices), or enters the pairing code',
    input: z.object({ name: z.string().min(1).max(100).optional(), phoneNumber }),
    output: z.object({ device: deviceView, pairingCode: z.string().optional() }),
    hints: acts,
    run: async (given) => {
      type Made = { device: Device; pairingCode?: string };
      const { device: made, ...more } = await client.call<Made>('POST', '/devices', given);
      return { value: { device: shown(made), ...more }, image: imageIn(made.qr) };
    },
  });
  addTool(tools, {
    name: 'restart_device',
    title: 'Restart a device',
    description:
      'Connects a linked device again, or starts a new pairing of an unlinked one (then get_device has the QR)',
    input: z.object({ device, phoneNumber }),
    output: z.object({ status, pairingCode: z.string().optional() }),
    hints: sets,
    run: ({ device: id, ...body }) => client.call('POST', `/devices/${id}/restart`, body),
  });
};

/** Reads if there is nothing to change. */
const save = <T>(client: Client, path: string, body: object): Promise<T> =>
  Object.values(body).some((value) => value !== undefined) ? client.call('PUT', path, body) : client.call('GET', path);

const registerChanges = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'update_device',
    title: 'Change a device',
    description: 'Renames a device, stops or starts it (active), or changes its settings; what is left out stays',
    input: z.object({
      device,
      name: z.string().min(1).max(100).optional(),
      active: z.boolean().optional().describe('false stops the session and keeps the pairing'),
      online: z.boolean().optional().describe('Whether the account appears online'),
      readReceipts: z.boolean().optional(),
      rejectCalls: z.boolean().optional(),
      newChatsPerDay: z.int().min(0).nullish().describe('How many new chats it may begin a day; null: no ceiling'),
      proxy: z
        .string()
        .nullish()
        .describe('URL of the http, https or socks5 proxy that it connects through; null: none'),
    }),
    output: z.object({ device: deviceView, settings }),
    hints: sets,
    run: async ({ device: id, name, active, ...changes }) => {
      const path = `/devices/${id}`;
      const renamed = { name, ...(active !== undefined && { subscription_status: active ? 'active' : 'inactive' }) };
      const { device: found } = await save<{ device: Device }>(client, path, renamed);
      const { settings: set } = await save<{ settings: unknown }>(client, `${path}/settings`, changes);
      return { device: shown(found), settings: set };
    },
  });
  addTool(tools, {
    name: 'disconnect_device',
    title: 'Log a device out',
    description: 'Logs the account out on the network; the device has to be paired again to be used',
    input: z.object({ device }),
    output: z.object({ status }),
    hints: destroys,
    run: (given) => client.call('POST', `/devices/${given.device}/disconnect`),
  });
  addTool(tools, {
    name: 'delete_device',
    title: 'Delete a device',
    description: 'Deletes a device with its messages, events and keys. It cannot be brought back',
    input: z.object({ device }),
    output: z.object({ status }),
    hints: destroys,
    run: (given) => client.call('DELETE', `/devices/${given.device}`),
  });
};

export const registerDeviceTools = (tools: Tools): void => {
  registerReads(tools);
  registerLimits(tools);
  registerUsage(tools);
  registerPairing(tools);
  registerChanges(tools);
};
