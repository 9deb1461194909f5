/** `handset key list`. */
import type { Command } from '../command.ts';
import { table } from '../output.ts';

interface Key {
  readonly id: number;
  readonly name: string;
  readonly hint: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export const keyList: Command = {
  words: 'key list',
  summary: 'List your API keys',
  positionals: [],
  options: {},
  optionHelp: {},
  async run({ client, out }) {
    const { keys } = await client().call<{ keys: readonly Key[] }>('GET', '/keys');
    out.value(keys);
    const rows = keys.map((key) => [
      String(key.id),
      `hs_…${key.hint}`,
      key.revokedAt === null ? (key.expiresAt ?? 'never') : 'revoked',
      key.lastUsedAt ?? 'never',
      key.name,
    ]);
    out.line(table(['ID', 'KEY', 'EXPIRES', 'LAST USED', 'NAME'], rows));
  },
};
