/** `handset device settings`: shows the settings of a device, and changes those given. */
import { type Arguments, type Command, deviceId, textOption } from '../../command.ts';
import { usageError } from '../../failure.ts';
import { fields } from '../../terminal/output.ts';

interface Settings {
  readonly online: boolean;
}

const switchOption = (given: Arguments, name: string): boolean | undefined => {
  const text = textOption(given, name);
  if (text !== undefined && text !== 'on' && text !== 'off') throw usageError(`--${name} is on or off`);
  return text === undefined ? undefined : text === 'on';
};

const onlineWords = (online: boolean): string =>
  online ? 'on: the account appears online' : 'off: senders see one tick until the phone is online';

export const deviceSettings: Command = {
  words: 'device settings',
  summary: 'Show or change the settings of a device',
  positionals: ['device'],
  options: { online: { type: 'string' } },
  optionHelp: {
    online: 'on: the account appears online; off (default): senders see one tick until the phone is online',
  },
  async run({ client, out }, given) {
    const id = deviceId(given);
    const online = switchOption(given, 'online');
    const path = `/devices/${id}/settings`;
    const answer =
      online === undefined
        ? await client().call<{ settings: Settings }>('GET', path)
        : await client().call<{ settings: Settings }>('PUT', path, { online });
    out.value(answer);
    out.line(...fields([['Online', onlineWords(answer.settings.online)]]));
  },
};
