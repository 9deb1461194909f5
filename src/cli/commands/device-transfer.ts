/** `handset device export`, `import` and `forget`: moving a device to another installation (operator). */
import { chmod, rm, writeFile, readFile } from 'node:fs/promises';
import { type Command, deviceId, positional, textOption, proxyHelp, proxyOf } from '../command/command.ts';
import { usageError } from '../client/failure.ts';
import { userOf } from '../command/operator.ts';

const deviceExport: Command = {
  words: 'device export',
  summary: 'Stop a device and export it to another installation (operator)',
  positionals: ['device', 'file'],
  async run({ admin, out, askSecret }, given) {
    const id = deviceId(given);
    const file = positional(given, 1);
    const client = admin();
    const passphrase = await askSecret('Passphrase for the package (12 characters or more): ');
    // Create the file before the device is stopped, so that an unwritable path costs nothing.
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    await chmod(file, 0o600);
    try {
      const body = await client.call<{ export: string }>('POST', `/devices/${id}/export`, { passphrase });
      await writeFile(file, `${body.export}\n`);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    out.value({ file });
    out.line(`Stopped device ${id} and exported it to ${file}.`);
    out.line(
      `Next, on the other installation: handset device import ${file} --user <user>. Then here: handset device forget ${id}`,
    );
  },
};

const deviceImport: Command = {
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

const deviceForget: Command = {
  words: 'device forget',
  summary: 'Delete an exported device without logging it out (operator)',
  positionals: ['device'],
  async run({ admin, out }, given) {
    const id = deviceId(given);
    out.value(await admin().call('POST', `/devices/${id}/forget`));
    out.line(`Device ${id} forgotten`);
  },
};

export const deviceTransferCommands: readonly Command[] = [deviceExport, deviceImport, deviceForget];
