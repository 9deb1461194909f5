/** The contract of the store on a real PostgreSQL, as one node of several uses it: authentication state is written under a lease. */
import { after, before } from 'node:test';
import type { CredentialStore, Stores } from '../../src/domain/stores.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import type { ManualClock } from '../support/clock.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { clusterContract } from './contract/cluster.ts';
import { storeContract } from './contract/contract.ts';

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.close());

/** The ports of a node that takes each device as it writes to it. */
const leased = (stores: Stores): Stores => {
  const epochs = new Map<number, Promise<number>>();
  const leases = stores.cluster!.leases;
  const epochOf = (deviceId: number): Promise<number> => {
    const known = epochs.get(deviceId);
    if (known !== undefined) return known;
    const taken = leases.acquire('node', deviceId).then((given) => (given.kind === 'held' ? given.lease.epoch : -1));
    epochs.set(deviceId, taken);
    return taken;
  };
  const { credentials } = stores;
  const wrapped: CredentialStore = {
    ...credentials,
    commit: async (id, changes) => credentials.commit(id, changes, await epochOf(id)),
    clearCredentials: async (id, changes) => credentials.clearCredentials(id, changes, await epochOf(id)),
  };
  return { ...stores, credentials: wrapped };
};

const secret = 'the secret of the contract';

storeContract(async (clock: ManualClock) => {
  const databaseUrl = await postgres.database();
  const open = async (): Promise<Stores> => {
    const stores = await openPostgresStore({ databaseUrl, secret, connections: 8, clock });
    await stores.cluster!.leases.renew({ id: 'node', url: 'http://node', draining: false });
    return leased(stores);
  };
  let stores = await open();
  return {
    get stores() {
      return stores;
    },
    async reopen() {
      await stores.close();
      stores = await open();
      return stores;
    },
    close: () => stores.close(),
  };
});

clusterContract(async () => {
  const databaseUrl = await postgres.database();
  return () => openPostgresStore({ databaseUrl, secret, connections: 4 });
});
