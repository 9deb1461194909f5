/** `handset account list` and `account show`: the linked accounts, and whose key this is. */
import type { Command } from '../command/command.ts';
import { fields, table } from '../terminal/output.ts';
import { noteNext, queryOf } from './chats/chat-reads.ts';

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

const page = {
  limit: { type: 'string', help: 'at most this many, 1 to 1000; 100 by default' },
  cursor: { type: 'string', help: 'continue after an earlier page' },
} as const;

export const accountList: Command = {
  words: 'account list',
  summary: 'List the accounts that your devices are linked to',
  positionals: [],
  options: page,
  async run(context, given) {
    const { client, out } = context;
    const path = `/accounts${queryOf(given, Object.keys(page))}`;
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

export const accountShow: Command = {
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
