/** `handset device list`: all devices of the caller. */
import type { Device } from '../../../domain/device.ts';
import { allOf, type Client } from '../../client/client.ts';
import { type Command, flagOption } from '../../command/command.ts';
import { allDevices } from '../../command/operator.ts';
import { table } from '../../terminal/output.ts';
import { painted } from '../../terminal/paint.ts';

interface Account {
  readonly deviceId: number;
  readonly phoneNumber: string;
}

/** Numbers of the linked accounts by device. */
const numbersOf = async (client: Client): Promise<ReadonlyMap<number, string>> => {
  const accounts = await allOf<Account>(client, 'accounts');
  return new Map(accounts.map(({ deviceId, phoneNumber }) => [deviceId, phoneNumber]));
};

export const deviceList: Command = {
  words: 'device list',
  summary: 'List your devices',
  positionals: [],
  options: { all: { type: 'boolean', help: 'devices of all users (operator; needs HANDSET_ADMIN_TOKEN)' } },
  async run({ client, admin, out }, given) {
    if (flagOption(given, 'all')) {
      const all = await allDevices(admin());
      out.value(all);
      const cells = all.map((device) => [
        String(device.id),
        String(device.userId),
        painted(device.status),
        device.subscription_status,
        String(device.messagesSent),
        device.name,
      ]);
      out.line(...table(['ID', 'USER', 'STATUS', 'SUBSCRIPTION', 'SENT', 'NAME'], cells));
      return;
    }
    const { devices } = await client().call<{ devices: readonly Device[] }>('GET', '/devices');
    out.value(devices);
    if (devices.length === 0) {
      out.line('No devices yet: create one with "handset device create"');
      return;
    }
    const numbers = await numbersOf(client());
    const rows = devices.map((device) => [
      String(device.id),
      painted(device.status),
      device.subscription_status,
      numbers.get(device.id) ?? '',
      String(device.messagesSent),
      device.webhookUrl === null ? 'no' : 'yes',
      device.name,
    ]);
    out.line(...table(['ID', 'STATUS', 'SUBSCRIPTION', 'NUMBER', 'SENT', 'WEBHOOK', 'NAME'], rows));
  },
};
