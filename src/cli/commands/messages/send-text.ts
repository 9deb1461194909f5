/** `handset send text`. */
import { type Command, flagOption, positional } from '../../command/command.ts';
import { send } from './sent.ts';

export const idempotencyOption = {
  'idempotency-key': { type: 'string', help: 'send only once, however often the command runs with this key' },
} as const;

export const sendText: Command = {
  words: 'send text',
  summary: 'Send a text message ("-" reads standard input)',
  positionals: ['device', 'to', 'message'],
  options: { 'link-preview': { type: 'boolean', help: 'with a preview of the first link' }, ...idempotencyOption },
  async run(context, given) {
    const text = positional(given, 2);
    const message = text === '-' ? (await context.readInput()).toString('utf8').replace(/\n$/, '') : text;
    const preview = flagOption(given, 'link-preview') ? { linkPreview: true } : {};
    await send(context, given, 'text', { message, ...preview });
  },
};
