/** MCP tools for devices that make several requests, or show a QR as an image. */
import { Type } from 'typebox';
import { findDevices } from './find-devices.ts';
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
import type { Device } from './things.ts';

const state = choice('connected', 'qr', 'timeout');
const deviceView = open({ id: count, name: text, status: state, hasQr: flag });

/** The QR goes as an image, not as text. */
const shown = ({ qr, ...rest }: Device) => ({ ...rest, hasQr: qr !== null });

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
      return { value: { device: shown(found), session, settings }, image: imageIn(found.qr) };
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
      return { value: { device: shown(made), ...more }, image: imageIn(made.qr) };
    },
  }),
];
