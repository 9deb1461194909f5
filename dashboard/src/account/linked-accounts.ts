/** The linked accounts of all devices, reloaded when a pairing begins or ends. */
import { useAccount } from './account.tsx';
import type { LinkedAccount } from '../api/types.ts';
import { useLoad } from '../api/hooks.ts';

interface Page {
  readonly accounts: readonly LinkedAccount[];
  readonly nextCursor: string | null;
}

const noAccounts: ReadonlyMap<number, LinkedAccount> = new Map();

/** Accounts by the id of their device; empty until they are loaded. */
export const useLinkedAccounts = (): ReadonlyMap<number, LinkedAccount> => {
  const { client, devices, generation } = useAccount();
  const load = async (): Promise<ReadonlyMap<number, LinkedAccount>> => {
    const found = new Map<number, LinkedAccount>();
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page = await client.get<Page>(`/v1/accounts?limit=1000${after}`);
      for (const account of page.accounts) found.set(account.deviceId, account);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return found;
  };
  const pairing = devices.value?.filter(({ status }) => status === 'qr').map(({ id }) => id);
  return useLoad(load, pairing === undefined ? null : `${generation} ${pairing.join()}`).value ?? noAccounts;
};
