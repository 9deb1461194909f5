/** `handset device restart`: a new session, and for an unlinked device a new pairing. */
import { type Command, deviceId, textOption } from '../command.ts';
import { deviceOf, showQr, spacedCode } from '../pairing.ts';

export const deviceRestart: Command = {
  words: 'device restart',
  summary: 'Start a new session; for an unlinked device a new pairing',
  positionals: ['device'],
  options: { 'phone-number': { type: 'string' } },
  optionHelp: { 'phone-number': 'pair by a code for this number instead of the QR' },
  async run(context, given) {
    const { client, out } = context;
    const id = deviceId(given);
    const body = { phoneNumber: textOption(given, 'phone-number') };
    const answer = await client().call<{ pairingCode?: string }>('POST', `/devices/${id}/restart`, body);
    const { pairingCode } = answer;
    out.value(answer);
    out.line(`Device ${id} restarted`);
    if (pairingCode !== undefined) out.line(`Pairing code: ${spacedCode(pairingCode)}`);
    else if (!out.json && (await deviceOf(client(), id)).status === 'qr') await showQr(context, id);
  },
};
