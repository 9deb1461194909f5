/** `handset phone scan`: a phone of the sandbox scans the QR of a device, or enters its code. */
import { type Command, deviceId, positional } from '../../command/command.ts';
import { CommandError } from '../../client/failure.ts';
import { deviceOf, sessionOf } from '../../pairing/pairing.ts';
import { paint } from '../../terminal/paint.ts';
import { askPhones } from '../../command/phones.ts';

export const phoneScan: Command = {
  words: 'phone scan',
  summary: 'Scan the QR of a device, or enter its code, with a sandbox phone',
  positionals: ['number', 'device'],
  async run({ client, phones, out }, given) {
    const number = positional(given, 0);
    const id = deviceId(given, 1);
    const { pairingCode: code, phoneNumber } = await sessionOf(client(), id);
    const { qr } = await deviceOf(client(), id);
    if (phoneNumber !== null) throw new CommandError(`device ${id} is linked already, to ${phoneNumber}`);
    if (code === null && qr === null) {
      throw new CommandError(
        `device ${id} is not waiting to be linked; start a pairing with "handset device restart ${id}"`,
      );
    }
    using _ = out.progress('Linking');
    const path = `/phones/${number}`;
    const linked =
      code === null
        ? await askPhones(phones(), 'POST', `${path}/scan`, { qr })
        : await askPhones(phones(), 'POST', `${path}/link-code`, { code });
    out.value(linked);
    out.line(paint('good', `Device ${id} is linked to ${number}`));
  },
};
