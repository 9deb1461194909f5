/** `handset device restart`: a new session, and for an unlinked device a new pairing. */
import { type Command, deviceId, textOption } from '../../command/command.ts';
import { deviceOf, showQr, spacedCode, waitForLink, waitForOpen, wantsWait } from '../../pairing/pairing.ts';
import { paint } from '../../terminal/paint.ts';

export const deviceRestart: Command = {
  words: 'device restart',
  summary: 'Start a new session, or a new pairing if the device is not linked',
  positionals: ['device'],
  options: {
    'phone-number': { type: 'string', help: 'pair with a code for this number instead of the QR' },
    wait: {
      type: 'boolean',
      help: 'wait until the device is linked and its session open (default in a terminal; see --no-wait)',
    },
  },
  async run(context, given) {
    const { client, out } = context;
    const id = deviceId(given);
    const body = { phoneNumber: textOption(given, 'phone-number') };
    const answer = await client().call<{ pairingCode?: string }>('POST', `/devices/${id}/restart`, body);
    const { pairingCode } = answer;
    out.value(answer);
    out.line(`Device ${id} restarted`);
    if (pairingCode !== undefined) out.line('Pairing code: ', paint('strong', spacedCode(pairingCode)));
    const device = await deviceOf(client(), id);
    const pairs = device.status === 'qr';
    if (pairs && pairingCode === undefined && !out.json) await showQr(context, id);
    if (!wantsWait(context, given)) return;
    if (pairs) await waitForLink(context, id, device);
    await waitForOpen(context, id);
    out.line(paint('good', `Device ${id} is connected`));
  },
};
