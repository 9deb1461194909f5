/** `handset key list`. */
import type { Command } from '../../command/command.ts';
import { keyPath } from '../../command/keys.ts';
import { userOption } from '../../command/operator.ts';
import { table } from '../../terminal/output.ts';
import { paint } from '../../terminal/paint.ts';

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
  ...userOption,
  async run(context, given) {
    const { out } = context;
    const { client, path } = await keyPath(context, given);
    const { keys } = await client.call<{ keys: readonly Key[] }>('GET', path);
    out.value(keys);
    const rows = keys.map((key) => [
      String(key.id),
      `hs_…${key.hint}`,
      key.revokedAt === null ? (key.expiresAt ?? 'never') : paint('bad', 'revoked'),
      key.lastUsedAt ?? 'never',
      key.name,
    ]);
    out.line(...table(['ID', 'KEY', 'EXPIRES', 'LAST USED', 'NAME'], rows));
  },
};
