/** Devices with their accounts' numbers, filtered and paged. */
import type { Client } from './client.ts';
import { request } from './tool.ts';
import type { Device, Things } from './things.ts';

type Account = Things['LinkedAccount'];

interface Wanted {
  readonly status?: string | undefined;
  readonly number?: string | undefined;
  readonly name?: string | undefined;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly number: string | null;
  readonly account: string | null;
  readonly active: boolean;
}

const rowOf = ({ id, name, status, subscription_status }: Device, account: Account | undefined): Row => ({
  id,
  name,
  status,
  number: account?.phoneNumber ?? null,
  account: account?.name ?? null,
  active: subscription_status === 'active',
});

const has = (text: string | null, part: string): boolean => text?.toLowerCase().includes(part.toLowerCase()) === true;

const isWanted = (row: Row, { status, number, name }: Wanted): boolean =>
  (status === undefined || row.status === status) &&
  (number === undefined || has(row.number, number)) &&
  (name === undefined || has(row.name, name) || has(row.account, name));

const ofService = 200;

interface Page {
  readonly devices: readonly Device[];
  readonly nextCursor: string | null;
}

interface Accounts {
  readonly accounts: readonly Account[];
}

/** Both lists are ordered by device, so cursor and limit cover the same devices. */
async function* rowsOf(client: Client): AsyncGenerator<Row> {
  let cursor: string | null = null;
  do {
    const range: object = { limit: ofService, ...(cursor !== null && { cursor }) };
    const [page, { accounts }]: [Page, Accounts] = await Promise.all([
      request<Page>(client, 'GET /devices', range),
      request<Accounts>(client, 'GET /accounts', range),
    ]);
    const byDevice = new Map(accounts.map((account) => [account.deviceId, account]));
    for (const device of page.devices) yield rowOf(device, byDevice.get(device.id));
    cursor = page.nextCursor;
  } while (cursor !== null);
}

/** The cursor is the id of the last device shown. */
export const findDevices = async (
  client: Client,
  wanted: Wanted,
): Promise<{ readonly devices: readonly Row[]; readonly nextCursor: string | null }> => {
  const devices: Row[] = [];
  for await (const row of rowsOf(client)) {
    if (row.id <= Number(wanted.cursor ?? 0) || !isWanted(row, wanted)) continue;
    // There is one more device, so this page is full.
    if (devices.length === wanted.limit) return { devices, nextCursor: String(devices.at(-1)?.id) };
    devices.push(row);
  }
  return { devices, nextCursor: null };
};
