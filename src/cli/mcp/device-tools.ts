/** MCP tools for devices: list, look at, make, pair again, disconnect, delete. */
import { z } from 'zod';
import type { Device } from '../../domain/device.ts';
import { type Tools, changes, destroys, device, orError, reads, result, resultWithImage } from './tool.ts';

/** A QR is long and for eyes only: it goes as an image. */
const shown = ({ qr, ...rest }: Device) => ({ ...rest, hasQr: qr !== null });

const phoneNumber = z
  .string()
  .regex(/^\d{8,15}$/)
  .optional()
  .describe('Pair by a code instead of the QR: the number of the account, digits with country code');

const registerReads = ({ server, client }: Tools): void => {
  server.registerTool(
    'list_devices',
    {
      description: 'The WhatsApp devices of this key, with their status',
      inputSchema: z.object({}),
      annotations: reads,
    },
    () =>
      orError(async () => {
        const { devices } = await client.call<{ devices: readonly Device[] }>('GET', '/devices');
        return result({ devices: devices.map(shown) });
      }),
  );
  server.registerTool(
    'get_device',
    {
      description:
        'One device and its session: status, linked account, what is wrong, and the QR while it waits for a scan',
      inputSchema: z.object({ device }),
      annotations: reads,
    },
    (given) =>
      orError(async () => {
        const { device: found } = await client.call<{ device: Device }>('GET', `/devices/${given.device}`);
        const { session } = await client.call<{ session: unknown }>('GET', `/devices/${given.device}/session`);
        return resultWithImage({ device: shown(found), session }, found.qr);
      }),
  );
};

const registerChanges = ({ server, client }: Tools): void => {
  server.registerTool(
    'create_device',
    {
      description:
        'Makes a device. The person scans the QR with the phone (Settings, Linked devices), or enters the pairing code',
      inputSchema: z.object({ name: z.string().min(1).max(100).optional(), phoneNumber }),
      annotations: changes,
    },
    (given) =>
      orError(async () => {
        const { device: made, pairingCode } = await client.call<{ device: Device; pairingCode?: string }>(
          'POST',
          '/devices',
          given,
        );
        return resultWithImage({ device: shown(made), pairingCode }, made.qr);
      }),
  );
  server.registerTool(
    'restart_device',
    {
      description:
        'Connects a linked device again, or starts a new pairing of an unlinked one (then get_device has the QR)',
      inputSchema: z.object({ device, phoneNumber }),
      annotations: changes,
    },
    ({ device: id, ...body }) => orError(async () => result(await client.call('POST', `/devices/${id}/restart`, body))),
  );
  server.registerTool(
    'disconnect_device',
    {
      description: 'Logs the account out on the network; the device has to be paired again to be used',
      inputSchema: z.object({ device }),
      annotations: destroys,
    },
    (given) => orError(async () => result(await client.call('POST', `/devices/${given.device}/disconnect`))),
  );
  server.registerTool(
    'delete_device',
    {
      description: 'Deletes a device with its messages, events and keys. It cannot be brought back',
      inputSchema: z.object({ device }),
      annotations: destroys,
    },
    (given) => orError(async () => result(await client.call('DELETE', `/devices/${given.device}`))),
  );
};

export const registerDeviceTools = (tools: Tools): void => {
  registerReads(tools);
  registerChanges(tools);
};
