/** `handset phone write`: a text from a phone of the sandbox. */
import { type Command, positional } from '../../command/command.ts';
import { askPhones } from '../../command/phones.ts';

export const phoneWrite: Command = {
  words: 'phone write',
  summary: 'Send a text from a sandbox phone',
  positionals: ['number', 'to', 'message'],
  async run({ phones, out }, given) {
    const body = { to: positional(given, 1), text: positional(given, 2) };
    const path = `/phones/${positional(given, 0)}/messages`;
    const written = await askPhones<{ messageIds: readonly string[] }>(phones(), 'POST', path, body);
    out.value(written);
    out.line(`Written: ${written.messageIds.join(', ')}`);
  },
};
