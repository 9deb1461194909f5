/** `handset device qr`: draws the QR in the terminal. */
import { type Command, deviceId } from '../../command/command.ts';
import { CommandError } from '../../client/failure.ts';
import { deviceOf, sessionOf, showQr, waitForLink, waitOption, wantsWait } from '../../pairing/pairing.ts';
import { paint } from '../../terminal/paint.ts';

export const deviceQr: Command = {
  words: 'device qr',
  summary: 'Draw the QR in the terminal',
  positionals: ['device'],
  options: { ...waitOption },
  async run(context, given) {
    const id = deviceId(given);
    const { client, out } = context;
    const device = await deviceOf(client(), id);
    if (device.qr === null) {
      const { state } = await sessionOf(client(), id);
      if (device.status === 'connected') throw new CommandError(`device ${id} is already linked, so it has no QR`);
      if (state === 'closed')
        throw new CommandError(`device ${id} has no QR; start a pairing with "handset device restart ${id}"`);
    }
    if (out.json) out.value({ qr: device.qr });
    else await showQr(context, id);
    if (!wantsWait(context, given)) return;
    await waitForLink(context, id, device);
    out.line(paint('good', `Device ${id} is connected`));
  },
};
