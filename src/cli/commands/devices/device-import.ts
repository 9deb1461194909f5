/** `handset device import`: unpacks a device of another installation; it connects at once. */
import { readFile } from 'node:fs/promises';
import { type Command, positional, textOption } from '../../command.ts';
import { usageError } from '../../failure.ts';
import { userOf } from '../../operator.ts';

export const deviceImport: Command = {
  words: 'device import',
  summary: 'Import a device from another installation (operator)',
  positionals: ['file'],
  options: { user: { type: 'string' } },
  optionHelp: { user: 'the new owner, by id or name' },
  async run({ admin, out, askSecret }, given) {
    const name = textOption(given, 'user');
    if (name === undefined) throw usageError('--user is missing: give the new owner of the device');
    const client = admin();
    const packed = (await readFile(positional(given, 0), 'utf8')).trim();
    const user = await userOf(client, name);
    const passphrase = await askSecret('Passphrase of the package: ');
    const path = `/users/${user.id}/devices`;
    const { device } = await client.call<{ device: { id: number } }>('POST', path, { export: packed, passphrase });
    out.value(device);
    out.line(`Device ${device.id} of user ${user.id} is connecting`);
  },
};
