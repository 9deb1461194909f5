/** `handset device export`: packs a device for another installation, and stops it here. */
import { chmod, rm, writeFile } from 'node:fs/promises';
import { type Command, deviceId, positional } from '../../command/command.ts';

export const deviceExport: Command = {
  words: 'device export',
  summary: 'Stop a device and export it to another installation (operator)',
  positionals: ['device', 'file'],
  async run({ admin, out, askSecret }, given) {
    const id = deviceId(given);
    const file = positional(given, 1);
    const client = admin();
    const passphrase = await askSecret('Passphrase for the package (12 characters or more): ');
    // Before the device is stopped: a file that cannot be written must not cost anything.
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
