/** The environment of the bridge, read once and checked. */

export interface Config {
  readonly host: string;
  readonly port: number;
  /** The SQLite file with what belongs to what. */
  readonly file: string;
  readonly handset: { readonly url: string; readonly key: string; readonly device: number; readonly secret: string };
  readonly chatwoot: {
    readonly url: string;
    readonly token: string;
    readonly account: number;
    readonly inbox: number;
    /** Of the inbox's webhook; null for versions of Chatwoot that sign nothing. */
    readonly secret: string | null;
    /** In the query of the webhook's URL, for those versions. */
    readonly urlToken: string | null;
  };
  /** Whether an agent's reply, or resolving the conversation, marks the chat as read on the phone. */
  readonly markRead: boolean;
  /** Whether a message to a resolved conversation reopens it; otherwise it begins a new one. */
  readonly reopen: boolean;
  /** Whether messages that their writer has deleted stay in Chatwoot, with a note. */
  readonly keepDeleted: boolean;
  /** The waits before a reply is tried again. */
  readonly retryDelaysMs: readonly number[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown with every variable that is missing or wrong. */
export class ConfigError extends Error {}

const retryDelaysMs = [1000, 5000, 15_000, 60_000, 300_000, 900_000];

/** Reads the variables, and says of all that are wrong what is wrong with them. */
export const readConfig = (env: Environment = process.env): Config => {
  const wrong: string[] = [];
  const text = (name: string): string => {
    const value = env[name]?.trim() ?? '';
    if (value === '') wrong.push(`${name} is missing`);
    return value;
  };
  const url = (name: string): string => {
    const value = text(name);
    if (value !== '' && !/^https?:\/\//.test(value)) wrong.push(`${name} must begin with http:// or https://`);
    return value.replace(/(?<!\/)\/+$/, '');
  };
  const whole = (name: string, standard?: string): number => {
    const value = standard === undefined ? text(name) : (env[name]?.trim() ?? standard);
    if (value !== '' && !/^\d{1,9}$/.test(value)) wrong.push(`${name} must be a whole number`);
    return Number(value);
  };
  const flag = (name: string, standard: boolean): boolean => {
    const value = env[name]?.trim() ?? String(standard);
    if (value !== 'true' && value !== 'false') wrong.push(`${name} must be true or false`);
    return value === 'true';
  };
  const optional = (name: string): string | null => env[name]?.trim() || null;
  const config: Config = {
    host: optional('HOST') ?? '127.0.0.1',
    port: whole('PORT', '3001'),
    file: optional('STATE_FILE') ?? 'handset-chatwoot.db',
    handset: {
      url: url('HANDSET_URL'),
      key: text('HANDSET_KEY'),
      device: whole('HANDSET_DEVICE'),
      secret: text('HANDSET_WEBHOOK_SECRET'),
    },
    chatwoot: {
      url: url('CHATWOOT_URL'),
      token: text('CHATWOOT_TOKEN'),
      account: whole('CHATWOOT_ACCOUNT'),
      inbox: whole('CHATWOOT_INBOX'),
      secret: optional('CHATWOOT_WEBHOOK_SECRET'),
      urlToken: optional('CHATWOOT_WEBHOOK_TOKEN'),
    },
    markRead: flag('MARK_READ', true),
    reopen: flag('REOPEN', true),
    keepDeleted: flag('KEEP_DELETED', false),
    retryDelaysMs,
  };
  if (config.handset.secret !== '' && !config.handset.secret.startsWith('whsec_'))
    wrong.push('HANDSET_WEBHOOK_SECRET must begin with whsec_');
  if (config.chatwoot.secret === null && config.chatwoot.urlToken === null)
    wrong.push('CHATWOOT_WEBHOOK_SECRET is missing (before Chatwoot 4.13: CHATWOOT_WEBHOOK_TOKEN)');
  if (wrong.length > 0) throw new ConfigError(wrong.join('\n'));
  return config;
};
