/** `handset phone add`: another phone in the sandbox. */
import { type Command, positional } from '../../command/command.ts';
import { askPhones, type Phone } from '../../command/phones.ts';

export const phoneAdd: Command = {
  words: 'phone add',
  summary: 'Add a phone to the sandbox',
  positionals: ['number', 'name?'],
  async run({ phones, out }, given) {
    const number = positional(given, 0).replaceAll(/[\s()+.-]/g, '');
    const body = { number, name: given.positionals[1] };
    const { phone } = await askPhones<{ phone: Phone }>(phones(), 'POST', '/phones', body);
    out.value(phone);
    out.line(`${phone.name} has the number ${phone.number}`);
  },
};
