/** `handset device qr`: draws the QR in the terminal. */
import { type Command, deviceId, flagOption } from '../command.ts';
import { deviceOf, showQr, waitForLink } from '../pairing.ts';

export const deviceQr: Command = {
  words: 'device qr',
  summary: 'Draw the QR in the terminal',
  positionals: ['device'],
  options: { wait: { type: 'boolean' } },
  optionHelp: { wait: 'draw every new QR until the device is linked' },
  async run(context, given) {
    const id = deviceId(given);
    const { client, out } = context;
    const device = await deviceOf(client(), id);
    if (out.json) out.value({ qr: device.qr });
    else await showQr(context, id);
    if (!flagOption(given, 'wait')) return;
    await waitForLink(context, id, device);
    out.line(`Device ${id} is connected`);
  },
};
