/** `handset device settings`: shows the settings of a device, and changes those given. */
import type { DeviceSettings } from '../../../domain/device.ts';
import { type Arguments, type Command, deviceId, textOption } from '../../command.ts';
import { usageError } from '../../failure.ts';
import { fields } from '../../terminal/output.ts';

const switchOption = (given: Arguments, name: string): boolean | undefined => {
  const text = textOption(given, name);
  if (text !== undefined && text !== 'on' && text !== 'off') throw usageError(`--${name} is on or off`);
  return text === undefined ? undefined : text === 'on';
};

/** `on`, `off`, or a text for the caller. */
const callsOption = (text: string | undefined): boolean | string | undefined =>
  text === 'on' || text === 'off' ? text === 'on' : text;

const listOption = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : text === 'none' ? [] : text.split(',').map((one) => one.trim());

const historyOption = (text: string | undefined): DeviceSettings['history'] | undefined => {
  if (text === undefined || text === 'none' || text === 'recent' || text === 'full') return text;
  throw usageError('--history is none, recent or full');
};

const given = (options: Arguments): Partial<DeviceSettings> => {
  const wanted = {
    online: switchOption(options, 'online'),
    readReceipts: switchOption(options, 'read-receipts'),
    rejectCalls: callsOption(textOption(options, 'reject-calls')),
    presence: listOption(textOption(options, 'presence')),
    history: historyOption(textOption(options, 'history')),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
};

const words = ({ online, readReceipts, rejectCalls, presence, history }: DeviceSettings) => {
  const calls = typeof rejectCalls === 'string' ? `rejected, answered with "${rejectCalls}"` : 'rejected';
  return [
    ['Online', online ? 'on: the account appears online' : 'off: senders see one tick until the phone is online'],
    ['Read receipts', readReceipts ? 'on' : 'off: writers do not see that their messages were read'],
    ['Calls', rejectCalls === false ? 'ring' : calls],
    ['History', history === 'none' ? 'none: no messages from before the pairing' : history],
    ['Presence of', presence.length === 0 ? 'nobody' : presence.join(', ')],
  ] as const;
};

export const deviceSettings: Command = {
  words: 'device settings',
  summary: 'Show or change the settings of a device',
  positionals: ['device'],
  options: {
    online: { type: 'string' },
    'read-receipts': { type: 'string' },
    'reject-calls': { type: 'string' },
    presence: { type: 'string' },
    history: { type: 'string' },
  },
  optionHelp: {
    online: 'on: the account appears online; off (default): senders see one tick until the phone is online',
    'read-receipts': 'on (default) or off: whether writers see that their messages were read',
    'reject-calls': 'on, off (default), or a text that callers get as a message',
    history: 'messages to load after the next pairing: none (default), recent or full',
    presence: 'chats whose presence is followed, separated by commas; or none',
  },
  async run({ client, out }, options) {
    const path = `/devices/${deviceId(options)}/settings`;
    const wanted = given(options);
    const answer =
      Object.keys(wanted).length === 0
        ? await client().call<{ settings: DeviceSettings }>('GET', path)
        : await client().call<{ settings: DeviceSettings }>('PUT', path, wanted);
    out.value(answer);
    out.line(...fields(words(answer.settings)));
  },
};
