/** `handset device import`: unpacks a device of another installation; it connects at once. */
import { readFile } from 'node:fs/promises';
import { type Command, positional, textOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { userOf } from '../../command/operator.ts';
import { proxyHelp, proxyOf } from '../../command/proxy-option.ts';

export const deviceImport: Command = {
  words: 'device import',
  summary: 'Import a device from another installation (operator)',
  positionals: ['file'],
  options: {
    user: { type: 'string', help: 'the new owner, by id or name' },
    proxy: { type: 'string', help: proxyHelp },
  },
  async run(context, given) {
    const { admin, out, askSecret } = context;
    const name = textOption(given, 'user');
    if (name === undefined) throw usageError('--user is missing: give the new owner of the device');
    const client = admin();
    const packed = (await readFile(positional(given, 0), 'utf8')).trim();
    const user = await userOf(client, name);
    const passphrase = await askSecret('Passphrase of the package: ');
    const body = { export: packed, passphrase, proxy: await proxyOf(context, given) };
    const path = `/users/${user.id}/devices`;
    const { device } = await client.call<{ device: { id: number } }>('POST', path, body);
    out.value(device);
    out.line(`Device ${device.id} of user ${user.id} is connecting`);
  },
};
