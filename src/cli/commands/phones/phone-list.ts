/** `handset phone list`: the phones of the sandbox. */
import type { Command } from '../../command/command.ts';
import { table } from '../../terminal/output.ts';
import { askPhones, type Phone } from '../../command/phones.ts';

export const phoneList: Command = {
  words: 'phone list',
  summary: 'List the phones of the sandbox',
  positionals: [],
  async run({ phones, out }) {
    const { phones: all } = await askPhones<{ phones: readonly Phone[] }>(phones(), 'GET', '/phones');
    out.value(all);
    if (all.length === 0) {
      out.line('No phones yet: add one with "handset phone add"');
      return;
    }
    const rows = all.map(({ number, name, linkedDevices }) => [number, String(linkedDevices.length), name]);
    out.line(...table(['NUMBER', 'LINKED DEVICES', 'NAME'], rows));
  },
};
