/** `handset send reaction`, `edit`, `delete`, `forward`, `scheduled`, `reschedule` and `cancel`, `handset message star`, `pin` and `delete`. */
import { type Command, flagOption, textOption } from '../command/command.ts';
import { usageError } from '../../mcp/client.ts';
import { callCommand, listed } from '../command/generic.ts';
import { sending, timeOptions } from './send.ts';

interface Said {
  readonly status: { readonly message: string };
}

const work = () => 'Sending';
const done = ({ status }: Said) => [status.message];

const sendReaction = callCommand('setReaction', {
  summary: 'React to a message with an emoji ("none" removes it)',
  work,
  done,
});

const sendEdit = callCommand('editMessage', { work, done });

const sendDelete = callCommand('deleteMessage', { work, done });

const messageDelete = callCommand('deleteMessage', { words: 'message delete', work, done });

const off = { type: 'boolean', help: 'undo it' } as const;

const messageStar = callCommand('setStar', {
  options: { off },
  work,
  body: (given) => ({ starred: !flagOption(given, 'off') }),
  done,
});

const daySeconds = 86_400;

const messagePin = callCommand('setPin', {
  options: { off, days: { type: 'string', value: 'n', help: 'for how long: 1, 7 (default) or 30' } },
  work,
  body(given) {
    const days = textOption(given, 'days');
    if (days !== undefined && !['1', '7', '30'].includes(days)) throw usageError('--days is 1, 7 or 30');
    return { pinned: !flagOption(given, 'off'), seconds: days === undefined ? undefined : Number(days) * daySeconds };
  },
  done,
});

interface Scheduled {
  readonly messageId: string;
  readonly to: string;
  readonly toNumber: string | null;
  readonly type: string;
  readonly text: string | null;
  readonly sendAt: string;
}

const sendScheduled = callCommand<{ scheduled: readonly Scheduled[] }>('listScheduled', {
  done: ({ scheduled }) =>
    listed(scheduled, 'No scheduled messages', {
      'SEND AT': ({ sendAt }) => sendAt,
      TO: ({ toNumber, to }) => toNumber ?? to,
      TYPE: ({ type }) => type,
      TEXT: ({ text }) => text,
      ID: ({ messageId }) => messageId,
    }),
});

const sendReschedule = callCommand<{ scheduled: Scheduled }>('updateScheduled', {
  summary: 'Change the time, text or caption of a scheduled message',
  options: timeOptions,
  done: ({ scheduled }) => [`Scheduled for ${scheduled.sendAt}: ${scheduled.messageId}`],
});

export const messageChangeCommands: readonly Command[] = [
  sendReaction,
  sendEdit,
  sendDelete,
  callCommand('forwardMessage', sending),
  sendScheduled,
  sendReschedule,
  messagePin,
  messageStar,
  messageDelete,
  callCommand('cancelScheduled'),
];
