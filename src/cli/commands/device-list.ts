/** `handset device list`: all devices of the caller. */
import type { Device } from '../../domain/device.ts';
import type { Command } from '../command.ts';
import { table } from '../output.ts';

export const deviceList: Command = {
  words: 'device list',
  summary: 'List your devices',
  positionals: [],
  options: {},
  optionHelp: {},
  async run({ client, out }) {
    const { devices } = await client().call<{ devices: readonly Device[] }>('GET', '/devices');
    out.value(devices);
    if (devices.length === 0) {
      out.line('No devices yet: "handset device create" makes one');
      return;
    }
    const rows = devices.map((device) => [
      String(device.id),
      device.status,
      device.subscription_status,
      String(device.messagesSent),
      device.webhookUrl === null ? 'no' : 'yes',
      device.name,
    ]);
    out.line(table(['ID', 'STATUS', 'SUBSCRIPTION', 'SENT', 'WEBHOOK', 'NAME'], rows));
  },
};
