/** `handset suppressions list`, `suppressions add` and `suppressions remove`: people who are not written to. */
import { plainNumber } from '../../domain/typed-number.ts';
import { allOf } from '../client/client.ts';
import { type Command, positional, textOption } from '../command/command.ts';

interface Suppression {
  readonly number: string | null;
  readonly lid: string | null;
  readonly reason: string | null;
  readonly source: string;
  readonly createdAt: string;
}

export const suppressionsList: Command = {
  words: 'suppressions list',
  summary: 'List the people who are not written to',
  positionals: [],
  async run({ client, out }) {
    const suppressions = await allOf<Suppression>(client(), 'suppressions');
    out.value({ suppressions });
    for (const { number, lid, reason, createdAt } of suppressions)
      out.line([number ?? lid, createdAt, reason ?? ''].join('  ').trimEnd());
  },
};

export const suppressionsAdd: Command = {
  words: 'suppressions add',
  summary: 'List a number that is not to be written to',
  positionals: ['number'],
  options: { reason: { type: 'string', help: 'a note for yourself' } },
  async run({ client, out }, given) {
    const number = plainNumber(positional(given, 0));
    const reason = textOption(given, 'reason');
    out.value(await client().call('POST', '/suppressions', reason === undefined ? { number } : { number, reason }));
    out.line(`${number} is not written to any more`);
  },
};

export const suppressionsRemove: Command = {
  words: 'suppressions remove',
  summary: 'Take a number off the list of those who are not written to',
  positionals: ['number'],
  async run({ client, out }, given) {
    const number = plainNumber(positional(given, 0));
    out.value(await client().call('DELETE', `/suppressions/${encodeURIComponent(number)}`));
    out.line(`${number} may be written to`);
  },
};
