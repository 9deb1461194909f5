/** `handset send reaction`, `edit`, `delete` and `forward`, `handset message star`, `pin` and `delete`. */
import { type Command, flagOption, positional, textOption } from '../command/command.ts';
import { recipientOf } from '../command/people.ts';
import { change, post } from './sending.ts';
import { idempotencyOption } from './send.ts';

const sendReaction: Command = {
  words: 'send reaction',
  summary: 'React to a message with an emoji ("none" takes it back)',
  positionals: ['device', 'messageId', 'emoji'],
  options: idempotencyOption,
  run: (context, given) => {
    const emoji = positional(given, 2);
    return change(context, given, 'PUT', '/reaction', { reaction: emoji === 'none' ? null : emoji });
  },
};

const sendEdit: Command = {
  words: 'send edit',
  summary: 'Edit a text or caption that you sent',
  positionals: ['device', 'messageId', 'message'],
  options: idempotencyOption,
  run: (context, given) => change(context, given, 'PUT', '', { message: positional(given, 2) }),
};

const sendDelete: Command = {
  words: 'send delete',
  summary: 'Delete a message for everyone',
  positionals: ['device', 'messageId'],
  options: idempotencyOption,
  run: (context, given) => change(context, given, 'DELETE', ''),
};

const messageStar: Command = {
  words: 'message star',
  summary: 'Star a message on this account, or take the star away',
  positionals: ['device', 'messageId'],
  options: { off: { type: 'boolean', help: 'take the star away' } },
  run: (context, given) => change(context, given, 'PUT', '/star', { starred: !flagOption(given, 'off') }),
};

const daySeconds = 86_400;

const messagePin: Command = {
  words: 'message pin',
  summary: 'Pin a message for all in its chat, or take the pin away',
  positionals: ['device', 'messageId'],
  options: {
    off: { type: 'boolean', help: 'take the pin away' },
    days: { type: 'string', help: 'for how long: 1, 7 (otherwise) or 30' },
    ...idempotencyOption,
  },
  run(context, given) {
    const days = textOption(given, 'days');
    const seconds = days === undefined ? undefined : Number(days) * daySeconds;
    return change(context, given, 'PUT', '/pin', { pinned: !flagOption(given, 'off'), seconds });
  },
};

const messageDelete: Command = {
  words: 'message delete',
  summary: 'Delete a message for everyone, or on this account',
  positionals: ['device', 'messageId'],
  options: { 'for-me': { type: 'boolean', help: 'on this account only' }, ...idempotencyOption },
  run: (context, given) => change(context, given, 'DELETE', flagOption(given, 'for-me') ? '?forMe=true' : ''),
};

const sendForward: Command = {
  words: 'send forward',
  summary: 'Forward a message',
  positionals: ['device', 'messageId', 'to'],
  options: idempotencyOption,
  run(context, given) {
    const path = `${encodeURIComponent(positional(given, 1))}/forward`;
    return post(context, given, path, { ...recipientOf(positional(given, 2)) });
  },
};

export const messageChangeCommands: readonly Command[] = [
  sendReaction,
  sendEdit,
  sendDelete,
  sendForward,
  messagePin,
  messageStar,
  messageDelete,
];
