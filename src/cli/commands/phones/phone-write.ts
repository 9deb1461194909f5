/** `handset phone write`: a text from a phone of the sandbox. */
import { type Command, positional } from '../../command.ts';
import { askPhones } from '../../phones.ts';

export const phoneWrite: Command = {
  words: 'phone write',
  summary: 'Let a phone of the sandbox write a text to a number',
  positionals: ['number', 'to', 'message'],
  options: {},
  optionHelp: {},
  async run({ phones, out }, given) {
    const body = { to: positional(given, 1), text: positional(given, 2) };
    const path = `/phones/${positional(given, 0)}/messages`;
    const written = await askPhones<{ messageIds: readonly string[] }>(phones(), 'POST', path, body);
    out.value(written);
    out.line(`Written: ${written.messageIds.join(', ')}`);
  },
};
