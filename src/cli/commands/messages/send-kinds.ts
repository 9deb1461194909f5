/** `handset send location`, `contact`, `poll` and `reply`. */
import { type Command, flagOption, positional, textOption, textsOption } from '../../command/command.ts';
import { usageError } from '../../client/failure.ts';
import { send } from './sent.ts';
import { idempotencyOption } from './send-text.ts';

const numberAt = (text: string, name: string): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw usageError(`${name} is a number; "${text}" is not`);
  return value;
};

export const sendLocation: Command = {
  words: 'send location',
  summary: 'Send a location ("--" before a negative latitude)',
  positionals: ['device', 'to', 'latitude', 'longitude'],
  options: {
    name: { type: 'string', help: 'name of the place' },
    address: { type: 'string', help: 'address of the place' },
    ...idempotencyOption,
  },
  run: (context, given) =>
    send(context, given, 'location', {
      latitude: numberAt(positional(given, 2), 'latitude'),
      longitude: numberAt(positional(given, 3), 'longitude'),
      name: textOption(given, 'name'),
      address: textOption(given, 'address'),
    }),
};

export const sendContact: Command = {
  words: 'send contact',
  summary: 'Send a contact',
  positionals: ['device', 'to', 'name', 'number'],
  options: { organization: { type: 'string', help: 'organization of the contact' }, ...idempotencyOption },
  run: (context, given) => {
    const numbers = [positional(given, 3).replace(/\D/g, '')];
    const organization = textOption(given, 'organization');
    return send(context, given, 'contact', { contacts: [{ name: positional(given, 2), numbers, organization }] });
  },
};

export const sendPoll: Command = {
  words: 'send poll',
  summary: 'Send a poll',
  positionals: ['device', 'to', 'question'],
  options: {
    option: { type: 'string', multiple: true, help: 'an option; 2 to 12 of them' },
    several: { type: 'boolean', help: 'let people choose several' },
    ...idempotencyOption,
  },
  run: (context, given) => {
    const options = textsOption(given, 'option') ?? [];
    const maxAnswers = flagOption(given, 'several') ? Math.max(1, options.length) : 1;
    return send(context, given, 'poll', { question: positional(given, 2), options, maxAnswers });
  },
};

export const sendReply: Command = {
  words: 'send reply',
  summary: 'Answer a message of the chat',
  positionals: ['device', 'to', 'messageId', 'message'],
  options: idempotencyOption,
  run: (context, given) =>
    send(context, given, 'text', { message: positional(given, 3), quotedMessageId: positional(given, 2) }),
};
