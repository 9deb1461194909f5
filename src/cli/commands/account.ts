/** `handset login`, `logout`, `account list` and `account show`. */
import { type Command, textOption, noteNext, pageOptions, queryOf } from '../command/command.ts';
import { CommandError, usageError } from '../client/failure.ts';
import { makeClient } from '../client/client.ts';
import { defaultUrl, writeCredentials, removeCredentials } from '../client/credentials.ts';
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

interface LinkedAccount {
  readonly deviceId: number;
  readonly phoneNumber: string;
  readonly name: string | null;
  readonly platform: string | null;
}

interface Me {
  readonly user: {
    readonly id: number;
    readonly name: string;
    readonly deviceLimit: number;
    readonly activeDevices: number;
    readonly rateLimit: number;
  };
  readonly service: { readonly version: string; readonly network: string };
}

const accountList: Command = {
  words: 'account list',
  summary: 'List the accounts that your devices are linked to',
  positionals: [],
  options: pageOptions,
  async run(context, given) {
    const { client, out } = context;
    const path = `/accounts${queryOf(given, Object.keys(pageOptions))}`;
    const found = await client().call<{ accounts: readonly LinkedAccount[]; nextCursor: string | null }>('GET', path);
    out.value(found.accounts);
    const rows = found.accounts.map(({ deviceId, phoneNumber, name, platform }) => [
      String(deviceId),
      phoneNumber,
      platform ?? '',
      name ?? '',
    ]);
    out.line(...(rows.length === 0 ? ['No device is linked'] : table(['DEVICE', 'NUMBER', 'PLATFORM', 'NAME'], rows)));
    noteNext(context, found.nextCursor);
  },
};

const accountShow: Command = {
  words: 'account show',
  summary: 'Show your user, its limits and the service',
  positionals: [],
  async run({ client, out }) {
    const { user, service } = await client().call<Me>('GET', '/me');
    out.value({ user, service });
    out.line(
      ...fields([
        ['User', `${user.id} ${user.name}`],
        ['Devices', `${user.activeDevices} of ${user.deviceLimit}`],
        ['Requests', `${user.rateLimit} a minute`],
        ['Service', service.version],
        ['Network', service.network],
      ]),
    );
  },
};

export const accountCommands: readonly Command[] = [login, logout, accountShow, accountList];
