/** `handset login`, `logout`, `account list`, `account show`, `limits` and `usage`. */
import { type Command, textOption } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { CommandError, usageError, type Answer, type Things } from '../../mcp/client.ts';
import { makeClient, defaultUrl, writeCredentials, removeCredentials } from '../client/client.ts';
import { fields, table } from '../terminal/output.ts';

const urlOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw usageError('--url must be an http:// or https:// URL');
  return text.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
};

const login: Command = {
  words: 'login',
  summary: 'Store the URL of a service and an API key',
  anonymous: true,
  positionals: [],
  options: {
    url: { type: 'string', help: `address of the service, without /v1 (default: HANDSET_URL, or ${defaultUrl})` },
    key: { type: 'string', help: 'the API key (default: prompt, which keeps it out of the shell history)' },
  },
  async run({ config, out, askSecret, signal }, given) {
    const url = urlOf(textOption(given, 'url') ?? config.url ?? defaultUrl);
    const key = (textOption(given, 'key') ?? config.key ?? (await askSecret(`API key for ${url}: `))).trim();
    if (!/^[\x21-\x7e]+$/.test(key)) throw new CommandError('that is not an API key');
    const { user } = await makeClient(url, key, signal).call<{ user: { name: string } }>('GET', '/me');
    await writeCredentials(config.credentialsFile, { url, key });
    out.line(`Logged in at ${url} as ${user.name}; the key is in ${config.credentialsFile}`);
    out.value({ url, user });
  },
};

const logout: Command = {
  words: 'logout',
  summary: 'Delete the stored key (it stays valid: see "handset key revoke")',
  anonymous: true,
  positionals: [],
  async run({ config, out }) {
    await removeCredentials(config.credentialsFile);
    out.line('Logged out');
    out.value({ loggedOut: true });
  },
};

type LinkedAccount = Things['LinkedAccount'];

type Me = Answer<'getMe'>;

const accountList = callCommand('listAccounts', {
  value: ({ accounts }: { readonly accounts: readonly LinkedAccount[] }) => accounts,
  done: ({ accounts }) =>
    listed(accounts, 'No device is linked', {
      DEVICE: ({ deviceId }) => String(deviceId),
      NUMBER: ({ phoneNumber }) => phoneNumber,
      PLATFORM: ({ platform }) => platform,
      NAME: ({ name }) => name,
    }),
});

const accountShow = callCommand('getMe', {
  summary: 'Show your user, its limits and the service',
  value: ({ user, service }: Me) => ({ user, service }),
  done: ({ user, service }) =>
    fields([
      ['User', `${user.id} ${user.name}`],
      ['Devices', `${user.activeDevices} of ${user.deviceLimit}`],
      ['Requests', `${user.rateLimit} a minute`],
      ['Service', service.version],
      ['Network', service.network],
    ]),
});

export const accountCommands: readonly Command[] = [login, logout, accountShow, accountList];

type Limits = Things['Limits'];

const chatsOf = ({ used, limit, resetsAt }: Limits['newChats']): string => {
  if (limit === null) return 'no limit is known';
  return `${used ?? '?'} of ${limit}${resetsAt === null ? '' : `, counted anew at ${resetsAt}`}`;
};

const limits = callCommand('getLimits', {
  done: ({ limits: { restrictedUntil, reason, newChats } }: { readonly limits: Limits }) =>
    fields([
      ['Restricted', reason ?? 'no'],
      ['Until', restrictedUntil],
      ['New chats', chatsOf(newChats)],
    ]),
});

type Usage = Things['Usage'];

const headings = ['FROM', 'SENT', 'RECEIVED', 'UNSENT', 'DELIVERED', 'WAITING', 'UNDELIVERED', 'FAILED POSTS'];

const countsOf = ({ sent, received, failed, deliveries, failedPosts }: Usage): readonly number[] => [
  sent,
  received,
  failed,
  deliveries.delivered,
  deliveries.pending,
  deliveries.failed,
  failedPosts,
];

const rowsOf = (usage: readonly Usage[]): readonly (readonly string[])[] => {
  const rows = usage
    .map((each) => ({ from: `${each.from.slice(0, 16).replace('T', ' ')}Z`, counts: countsOf(each) }))
    .filter(({ counts }) => counts.some((count) => count > 0))
    .toReversed();
  const [first] = rows;
  if (first === undefined) return [];
  const totals = first.counts.map((_, at) => rows.reduce((sum, { counts }) => sum + counts[at]!, 0));
  return [...rows, { from: 'total', counts: totals }].map(({ from, counts }) => [from, ...counts.map(String)]);
};

const usage = callCommand('getDeviceUsage', {
  summary: 'Count messages and deliveries by the hour or the day, of a device or of all',
  done(answer: { readonly usage: readonly Usage[] }) {
    const rows = rowsOf(answer.usage);
    return rows.length === 0 ? ['Nothing was sent or received in this time'] : table(headings, rows);
  },
});

export const usageCommands: readonly Command[] = [limits, usage];
