/** Devices that are linked without a service: by light clients, whose credentials are then written into the cluster's database. */
import { WA_CERT_DETAILS } from 'baileys';
import { openPostgresStore } from '../../../src/store/open-postgres.ts';
import { accountOf } from '../../../src/whatsapp/identity/account.ts';
import { serializeCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import type { Cluster } from '../../support/cluster.ts';
import { link } from '../support/light-client.ts';
import type { Place } from '../support/settings.ts';

const maker = { id: 'maker', url: 'http://nowhere', draining: false };

/** Nobody has them yet: the nodes take them. Their ids. */
export const linkLight = async (cluster: Cluster, numbers: readonly string[]): Promise<readonly number[]> => {
  const place = await cluster.phones.request<Place>('GET', '');
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(place.rootKey, 'hex');
  const stores = await openPostgresStore({ databaseUrl: cluster.databaseUrl, secret: cluster.secret, connections: 8 });
  const { leases } = stores.cluster!;
  const ids: number[] = [];
  const make = async (number: string): Promise<void> => {
    await cluster.phones.add(number, 'Someone');
    const creds = await link(place, number);
    const device = await stores.devices.create(
      { userId: 1, name: number, webhookUrl: null, webhookEvents: [] },
      Date.now(),
    );
    const given = await leases.acquire(maker.id, device.id);
    if (given.kind !== 'held') throw new Error('somebody else has it');
    const { epoch } = given.lease;
    const changes = { account: accountOf(creds), credentials: serializeCredentials(creds) };
    await stores.changes.commit(device.id, changes, epoch);
    await leases.release(device.id, epoch, true);
    ids.push(device.id);
  };
  await leases.renew(maker, 600_000);
  const waiting = [...numbers];
  const worker = async (): Promise<void> => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) await make(number);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  await leases.leave(maker.id);
  await stores.close();
  return ids;
};
