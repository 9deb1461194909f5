/** `handset chat set`: archives, pins, mutes and marks a chat, and sets its timer. */
import { type Command, deviceId, positional, switchOption, textOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';

const timerOf = (text: string | undefined): number | undefined => {
  const days = { off: 0, '1d': 1, '7d': 7, '90d': 90 } as const;
  if (text === undefined) return undefined;
  const found = Object.entries(days).find(([name]) => name === text);
  if (found === undefined) throw usageError('--timer is off, 1d, 7d or 90d');
  return found[1] * 86_400;
};

export const chatSet: Command = {
  words: 'chat set',
  summary: 'Archive, pin, mute or mark a chat, or set its timer',
  positionals: ['device', 'chat'],
  options: {
    archived: { type: 'string', help: 'on or off' },
    pinned: { type: 'string', help: 'on or off' },
    unread: { type: 'string', help: 'on or off; off marks it as read without telling the writers' },
    muted: { type: 'string', help: 'a time in RFC 3339, always, or off' },
    timer: { type: 'string', help: 'of disappearing messages: 1d, 7d, 90d, or off' },
  },
  async run({ client, out }, given) {
    const muted = textOption(given, 'muted');
    const body = {
      archived: switchOption(given, 'archived'),
      pinned: switchOption(given, 'pinned'),
      unread: switchOption(given, 'unread'),
      mutedUntil: muted === 'off' ? null : muted,
      expiresInSeconds: timerOf(textOption(given, 'timer')),
    };
    const path = `/devices/${deviceId(given)}/chats/${encodeURIComponent(positional(given, 1))}`;
    out.value(await client().call('PUT', path, body));
    out.line('Chat updated');
  },
};
