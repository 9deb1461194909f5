/** MCP tools for devices that make several requests, or show a QR as an image. */
import { Type } from 'typebox';
import type { Client, Device, Things } from './client.ts';
import { deviceOf } from './forms.ts';
import {
  about,
  acts,
  choice,
  count,
  device,
  flag,
  imageIn,
  open,
  ownTool,
  page,
  reads,
  request,
  text,
  textOrNull,
} from './tool.ts';

const state = choice('connected', 'qr', 'timeout');
const deviceView = open({ id: count, name: text, status: state, hasQr: flag });

type Account = Things['LinkedAccount'];

interface Wanted {
  readonly status?: string | undefined;
  readonly number?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly number: string | null;
  readonly account: string | null;
  readonly active: boolean;
}

const rowOf = ({ id, name, status, subscription_status }: Device, account: Account | undefined): Row => ({
  id,
  name,
  status,
  number: account?.phoneNumber ?? null,
  account: account?.name ?? null,
  active: subscription_status === 'active',
});

const has = (value: string | null, part: string): boolean => value?.toLowerCase().includes(part.toLowerCase()) === true;

const isWanted = (row: Row, { status, number, name }: Wanted): boolean =>
  (status === undefined || row.status === status) &&
  (number === undefined || has(row.number, number)) &&
  (name === undefined || has(row.name, name) || has(row.account, name));

const ofService = 200;

interface Page {
  readonly devices: readonly Device[];
  readonly nextCursor: string | null;
}

interface Accounts {
  readonly accounts: readonly Account[];
}

/** Both lists are ordered by device, so cursor and limit cover the same devices. */
async function* rowsOf(client: Client): AsyncGenerator<Row> {
  let cursor: string | null = null;
  do {
    const range: object = { limit: ofService, ...(cursor !== null && { cursor }) };
    const [found, { accounts }]: [Page, Accounts] = await Promise.all([
      request<Page>(client, 'GET /devices', range),
      request<Accounts>(client, 'GET /accounts', range),
    ]);
    const byDevice = new Map(accounts.map((account) => [account.deviceId, account]));
    for (const each of found.devices) yield rowOf(each, byDevice.get(each.id));
    cursor = found.nextCursor;
  } while (cursor !== null);
}

const findDevices = async (
  client: Client,
  wanted: Wanted,
): Promise<{ readonly devices: readonly Row[]; readonly nextCursor: string | null }> => {
  const devices: Row[] = [];
  for await (const row of rowsOf(client)) {
    if (row.id <= Number(wanted.cursor ?? 0) || !isWanted(row, wanted)) continue;
    // There is one more device, so this page is full.
    if (devices.length === wanted.limit) return { devices, nextCursor: String(devices.at(-1)?.id) };
    devices.push(row);
  }
  return { devices, nextCursor: null };
};

export const deviceTools = [
  ownTool({
    name: 'list_devices',
    title: 'List devices',
    description:
      'The WhatsApp devices of this key with their status and number. Status qr: waits to be paired; timeout: not connected',
    input: {
      status: Type.Optional(state),
      number: Type.Optional(about('Part of the phone number')),
      name: Type.Optional(about('Part of the name of the device or the account')),
      ...page,
    },
    output: {
      devices: Type.Array(open({ id: count, name: text, status: text, number: textOrNull })),
      nextCursor: textOrNull,
    },
    hints: reads,
    run: findDevices,
  }),
  ownTool({
    name: 'get_device',
    title: 'Show a device',
    description:
      'One device with its session (state, linked account, what is wrong), its settings, and the QR while it waits for a scan',
    input: { device },
    output: { device: deviceView, session: open({ state: text, reason: textOrNull }), settings: open({}) },
    hints: reads,
    run: async (client, given) => {
      const path = 'GET /devices/{device}';
      const { device: found } = await request<{ device: Device }>(client, path, given);
      const { session } = await request<{ session: unknown }>(client, `${path}/session`, given);
      const { settings } = await request<{ settings: unknown }>(client, `${path}/settings`, given);
      return { value: { device: deviceOf(found), session, settings }, image: imageIn(found.qr) };
    },
  }),
  ownTool({
    name: 'create_device',
    allDevices: true,
    title: 'Create a device',
    description:
      'Makes a device. The person scans the QR with the phone (⋮ or Settings, Linked devices), or enters the pairing code',
    input: {
      name: Type.Optional(Type.String({ maxLength: 100 })),
      phoneNumber: Type.Optional(about('Pair by a code instead of the QR: number of the account')),
    },
    output: { device: deviceView, pairingCode: Type.Optional(text) },
    hints: acts,
    run: async (client, given) => {
      const { device: made, ...more } = await client.call<{ device: Device }>('POST', '/devices', given);
      return { value: { device: deviceOf(made), ...more }, image: imageIn(made.qr) };
    },
  }),
];
