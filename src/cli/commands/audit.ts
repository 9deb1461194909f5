/** `handset audit`: who changed which user, key, device or webhook, newest first. */
import { type Command, textOption } from '../command/command.ts';
import { wholeNumber } from '../command/operator.ts';
import { table } from '../terminal/output.ts';

interface Entry {
  readonly at: string;
  readonly action: string;
  readonly actor: {
    readonly kind: string;
    readonly userId: number | null;
    readonly keyId: number | null;
    readonly address: string | null;
  };
  readonly userId: number | null;
  readonly keyId: number | null;
  readonly deviceId: number | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const actorOf = ({ kind, userId, keyId, address }: Entry['actor']): string => {
  const who = kind === 'key' ? `user ${userId} (key ${keyId})` : kind;
  return address === null ? who : `${who} from ${address}`;
};

const subjectOf = ({ userId, keyId, deviceId }: Entry): string =>
  [
    ...(userId === null ? [] : [`user ${userId}`]),
    ...(keyId === null ? [] : [`key ${keyId}`]),
    ...(deviceId === null ? [] : [`device ${deviceId}`]),
  ].join(', ');

export const audit: Command = {
  words: 'audit',
  summary: 'Print the audit log, newest first (operator)',
  positionals: [],
  options: { limit: { type: 'string', help: 'number of entries, up to 1000 (default: 100)' } },
  async run({ admin, out }, given) {
    const limit = wholeNumber('limit', textOption(given, 'limit') ?? '100');
    const { entries } = await admin().call<{ entries: readonly Entry[] }>('GET', `/audit?limit=${limit}`);
    for (const entry of entries) out.value(entry);
    const rows = entries.map((entry) => [
      entry.at,
      actorOf(entry.actor),
      entry.action,
      subjectOf(entry),
      Object.keys(entry.detail).length === 0 ? '' : JSON.stringify(entry.detail),
    ]);
    out.line(...table(['TIME', 'WHO', 'WHAT', 'OF', 'DETAIL'], rows));
  },
};
