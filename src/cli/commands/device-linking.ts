/** `handset device qr`, `passkey` and `restart`: linking a device to an account. */
import { type Command, numberOption, textOption, deviceId, type Context, flagOption } from '../command/command.ts';
import {
  showQr,
  spacedCode,
  waitForLink,
  waitOption,
  wantsWait,
  deviceOf,
  sessionOf,
  waitForOpen,
  confirmPasskey,
  PasskeyGuide,
  passkeyOf,
} from '../command/pairing.ts';
import { paint } from '../terminal/paint.ts';
import { CommandError, unreadable, usageError } from '../../mcp/client.ts';
import { readFile } from 'node:fs/promises';

const deviceQr: Command = {
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

const readCredential = async ({ readInput }: Context, place: string): Promise<unknown> => {
  let bytes: Buffer;
  try {
    bytes = place === '-' ? await readInput() : await readFile(place);
  } catch (error) {
    throw unreadable('credential', place, error);
  }
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw usageError('the credential is not JSON; it is what credential.toJSON() gives');
  }
};

const devicePasskey: Command = {
  words: 'device passkey',
  summary: 'Complete the linking with a passkey',
  positionals: ['device'],
  options: {
    credential: {
      type: 'string',
      help: 'file with the credential as JSON (- for standard input), in place of the browser extension',
    },
    confirm: { type: 'boolean', help: 'confirm that the code matches the one on the phone' },
    ...waitOption,
  },
  async run(context, given) {
    const { client, out } = context;
    const id = deviceId(given);
    const device = await deviceOf(client(), id);
    const { state, reason } = await sessionOf(client(), id);
    if (state !== 'passkey_required') {
      throw new CommandError(`The network asks for no passkey for device ${id}${reason === null ? '' : `: ${reason}`}`);
    }
    const credential = textOption(given, 'credential');
    if (credential !== undefined) {
      const body = await readCredential(context, credential);
      out.value(await client().call('POST', `/devices/${id}/passkey/response`, body));
      out.line('Passkey accepted; the phone completes the linking.');
    } else if (flagOption(given, 'confirm')) {
      out.value(await confirmPasskey(client(), id));
      out.line('Confirmed.');
    } else {
      const passkey = await passkeyOf(client(), id);
      out.value({ passkey });
      if (!wantsWait(context, given)) await new PasskeyGuide(context, id).tell(passkey);
    }
    if (!wantsWait(context, given)) return;
    await waitForLink(context, id, device);
    out.line(paint('good', `Device ${id} is connected`));
  },
};

const deviceRestart: Command = {
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
    const body = { phoneNumber: numberOption(given, 'phone-number') };
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

export const deviceLinkingCommands: readonly Command[] = [deviceQr, devicePasskey, deviceRestart];
