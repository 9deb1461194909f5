/** `handset device passkey`: what the network asks for before it links an account, and the answer to it. */
import { readFile } from 'node:fs/promises';
import { type Command, type Context, deviceId, flagOption, textOption } from '../../command/command.ts';
import { CommandError, unreadable, usageError } from '../../client/failure.ts';
import { confirmPasskey, PasskeyGuide, passkeyOf } from '../../pairing/passkey.ts';
import { paint } from '../../terminal/paint.ts';
import { deviceOf, sessionOf, waitForLink, waitOption, wantsWait } from '../../pairing/pairing.ts';

/** A credential as `credential.toJSON()` gives it. */
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

export const devicePasskey: Command = {
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
      // The wait reports it.
      if (!wantsWait(context, given)) await new PasskeyGuide(context, id).tell(passkey);
    }
    if (!wantsWait(context, given)) return;
    await waitForLink(context, id, device);
    out.line(paint('good', `Device ${id} is connected`));
  },
};
