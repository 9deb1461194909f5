/** `handset device settings`. */
import { proxyHelp, proxyOf, textOption } from '../command/command.ts';
import { callCommand } from '../command/generic.ts';
import type { DeviceSettings } from '../../mcp/client.ts';
import { fields } from '../terminal/output.ts';

const channelWords: Readonly<Record<DeviceSettings['channels'], string>> = {
  none: 'none are reported as events',
  own: 'those that the account administers are reported as events',
  followed: 'all that the account follows are reported as events',
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

export const deviceSettings = callCommand('updateSettings', {
  summary: 'Show or change the settings of a device',
  options: { proxy: { type: 'string', help: `${proxyHelp}; none (default): it connects directly` } },
  more: async (given, context) =>
    textOption(given, 'proxy') === 'ask' ? { proxy: await proxyOf(context, given) } : {},
  done: ({ settings }: { readonly settings: DeviceSettings }) => fields(words(settings)),
});
