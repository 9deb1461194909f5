/** `handset device settings`. */
import {
  type Arguments,
  type Command,
  type Context,
  deviceId,
  switchOption,
  textOption,
  proxyHelp,
  proxyOf,
} from '../command/command.ts';
import { usageError, type DeviceSettings } from '../../mcp/client.ts';
import { fields } from '../terminal/output.ts';

const callsOption = (text: string | undefined): boolean | string | undefined =>
  text === 'on' || text === 'off' ? text === 'on' : text;

const listOption = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : text === 'none' ? [] : text.split(',').map((one) => one.trim());

export const historyOption = (text: string | undefined): DeviceSettings['history'] | undefined => {
  if (text === undefined || text === 'none' || text === 'recent' || text === 'full') return text;
  throw usageError('--history is none, recent or full');
};

const ceilingOption = (text: string | undefined): number | null | undefined => {
  if (text === undefined || text === 'none') return text === undefined ? undefined : null;
  if (!/^\d{1,6}$/.test(text)) throw usageError('--new-chats-per-day is a whole number or none');
  return Number(text);
};

const mediaOption = (text: string | undefined): DeviceSettings['media'] | undefined => {
  if (text === undefined || text === 'network' || text === 'kept') return text;
  throw usageError('--media is network or kept');
};

const statusesOption = (text: string | undefined): DeviceSettings['statuses'] | undefined => {
  if (text === undefined || text === 'none' || text === 'received') return text;
  throw usageError('--statuses is none or received');
};

const channelsOption = (text: string | undefined): DeviceSettings['channels'] | undefined => {
  if (text === undefined || text === 'none' || text === 'own' || text === 'followed') return text;
  throw usageError('--channels is none, own or followed');
};

const channelWords: Readonly<Record<DeviceSettings['channels'], string>> = {
  none: 'none are reported as events',
  own: 'those that the account administers are reported as events',
  followed: 'all that the account follows are reported as events',
};

const given = async (context: Context, options: Arguments): Promise<Partial<DeviceSettings>> => {
  const proxy = await proxyOf(context, options);
  const wanted = {
    online: switchOption(options, 'online'),
    readReceipts: switchOption(options, 'read-receipts'),
    rejectCalls: callsOption(textOption(options, 'reject-calls')),
    presence: listOption(textOption(options, 'presence')),
    history: historyOption(textOption(options, 'history')),
    stopWords: listOption(textOption(options, 'stop-words')),
    newChatsPerDay: ceilingOption(textOption(options, 'new-chats-per-day')),
    media: mediaOption(textOption(options, 'media')),
    statuses: statusesOption(textOption(options, 'statuses')),
    channels: channelsOption(textOption(options, 'channels')),
    proxy: proxy === 'none' ? null : proxy,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
};

const words = (settings: DeviceSettings) => {
  const { online, readReceipts, rejectCalls, presence, history, newChatsPerDay, media, proxy, stopWords } = settings;
  const { statuses } = settings;
  const calls = typeof rejectCalls === 'string' ? `rejected, answered with "${rejectCalls}"` : 'rejected';
  return [
    ['Online', online ? 'on: the account appears online' : 'off: senders see one tick until the phone is online'],
    ['Read receipts', readReceipts ? 'on' : 'off: writers do not see that their messages were read'],
    ['Calls', rejectCalls === false ? 'ring' : calls],
    ['History', history === 'none' ? 'none: no messages from before the pairing' : history],
    ['New chats a day', newChatsPerDay === null ? 'no ceiling' : String(newChatsPerDay)],
    ['Stop words', stopWords.length === 0 ? 'none' : stopWords.join(', ')],
    ['Media', media === 'kept' ? 'kept here, for as long as messages are' : 'with the network, for some weeks'],
    ['Statuses', statuses === 'received' ? 'of contacts are received' : 'none: those of contacts are dropped'],
    ['Channels', channelWords[settings.channels]],
    ['Proxy', proxy ?? 'none: the device connects directly'],
    ['Presence of', presence.length === 0 ? 'nobody' : presence.join(', ')],
  ] as const;
};

export const deviceSettings: Command = {
  words: 'device settings',
  summary: 'Show or change the settings of a device',
  positionals: ['device'],
  options: {
    online: {
      type: 'string',
      help: 'on: the account appears online; off (default): senders see one tick until the phone is online',
    },
    'read-receipts': { type: 'string', help: 'on (default) or off: whether writers see that their messages were read' },
    'reject-calls': {
      type: 'string',
      value: 'on|off|text',
      help: 'on, off (default), or a text that callers get as a message',
    },
    presence: {
      type: 'string',
      help: 'chats whose presence (online, typing) is followed, separated by commas; or none',
    },
    history: { type: 'string', help: 'messages to load after the next pairing: none (default), recent or full' },
    'new-chats-per-day': {
      type: 'string',
      help: 'maximum number of new chats a day; none (default): no limit',
    },
    'stop-words': {
      type: 'string',
      help: 'words, separated by commas, that put a person who writes one on the suppression list; or none',
    },
    media: {
      type: 'string',
      value: 'network|kept',
      help: 'network (default), or kept: received files are fetched at once and kept for as long as messages are',
    },
    statuses: {
      type: 'string',
      value: 'none|received',
      help: 'received: statuses of contacts are reported as events; none (default): they are ignored',
    },
    channels: {
      type: 'string',
      value: 'none|own|followed',
      help: 'channels whose posts and changes are reported as events: none (default), those the account administers, or all that it follows',
    },
    proxy: { type: 'string', help: `${proxyHelp}; none (default): it connects directly` },
  },
  async run(context, options) {
    const { client, out } = context;
    const path = `/devices/${deviceId(options)}/settings`;
    const wanted = await given(context, options);
    const answer =
      Object.keys(wanted).length === 0
        ? await client().call<{ settings: DeviceSettings }>('GET', path)
        : await client().call<{ settings: DeviceSettings }>('PUT', path, wanted);
    out.value(answer);
    out.line(...fields(words(answer.settings)));
  },
};
