/** The stage of the chaos: a sandbox in its own process, phones, groups, and a service with linked accounts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api } from '../../support/api.ts';
import type { Disk } from '../../support/disk.ts';
import { type Phones, phonesOf } from '../../support/phones.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Group, type Person, addPeople, linkDevice, makeGroup } from '../support/people.ts';
import { startChild } from '../support/child.ts';
import { MortalService } from '../support/mortal-service.ts';

const key = `hs_${'C'.repeat(43)}`;

export interface Linked extends Person {
  readonly device: number;
  /** The secret of its webhook. */
  readonly secret: string;
}

export interface World extends AsyncDisposable {
  readonly phones: Phones;
  readonly service: MortalService;
  /** Null: its data is in an ordinary folder. */
  readonly disk: Disk | null;
  readonly dataDir: string;
  /** For copies of the data. */
  readonly copiesDir: string;
  readonly receiver: Receiver;
  readonly linked: readonly Linked[];
  /** People with a phone and nothing else. */
  readonly others: readonly Person[];
  readonly groups: readonly Group[];
  /** A client of the service as it runs now; waits while it does not. */
  api(): Promise<Api>;
}

interface Place {
  readonly controlUrl: string;
}

const linkedNames = ['Ada', 'Eve'];
const otherNames = ['Bob', 'Cleo', 'Dan', 'Fay'];
const silentNames = ['Gus', 'Hal'];

const addSilentPeople = async (phones: Phones, first: number, names: readonly string[]): Promise<Person[]> => {
  const people = await addPeople(phones, first, names);
  for (const { number } of people) await phones.request('PATCH', `/phones/${number}`, { deliverReceipts: false });
  return people.map((person) => ({ ...person, silent: true }));
};

const link = async (client: Api, phones: Phones, person: Person, webhookUrl: string): Promise<Linked> => {
  const device = await linkDevice(client, phones, person, { webhookUrl });
  const secret = (await client.get(`/devices/${device}/webhook`)).body.webhook.secret as string;
  return { ...person, device, secret };
};

/** Starts everything and links the accounts; the service runs when this resolves. `disk`: where it keeps its data. */
export const makeWorld = async (disk: Disk | null = null): Promise<World> => {
  await using opened = new AsyncDisposableStack();
  const dataDir = disk?.dataDir ?? (await mkdtemp(join(tmpdir(), 'handset-chaos-')));
  const copiesDir = await mkdtemp(join(tmpdir(), 'handset-copies-'));
  for (const folder of [dataDir, copiesDir]) opened.defer(() => rm(folder, { recursive: true, force: true }));
  const sandbox = startChild('sandbox.ts');
  opened.defer(() => sandbox.stop());
  const { controlUrl } = await sandbox.ask<Place>('start');
  const receiver = await startReceiver();
  opened.defer(() => receiver.close());
  const service = new MortalService({
    ...disk?.env,
    HANDSET_PORT: '0',
    // Its port changes with each start, and media URLs would with it.
    HANDSET_PUBLIC_URL: 'http://handset.test',
    HANDSET_DATA_DIR: dataDir,
    HANDSET_BOOTSTRAP_KEY: key,
    HANDSET_NETWORK: controlUrl,
    HANDSET_ALLOW_PRIVATE_URLS: 'true',
    HANDSET_RATE_LIMIT: '1000000',
    HANDSET_LOG_LEVEL: process.env['HANDSET_LOG_LEVEL'] ?? 'fatal',
  });
  opened.defer(() => service.stop());
  await service.start().ready;
  const client = async (): Promise<Api> => api(`${await service.address()}/v1`, key);
  const phones = phonesOf(controlUrl);
  const linked: Linked[] = [];
  for (const person of await addPeople(phones, 4_915_560_000_000, linkedNames)) {
    linked.push(await link(await client(), phones, person, `${receiver.url}/hook`));
  }
  const others = [
    ...(await addPeople(phones, 4_915_570_000_000, otherNames)),
    ...(await addSilentPeople(phones, 4_915_580_000_000, silentNames)),
  ];
  const [bob, cleo] = others as [Person, Person];
  const groups = [
    await makeGroup(phones, 'All', bob, [...linked, cleo]),
    await makeGroup(phones, 'Few', linked[0]!, [bob, cleo]),
  ];
  const closing = opened.move();
  return {
    phones,
    service,
    disk,
    dataDir,
    copiesDir,
    receiver,
    linked,
    others,
    groups,
    api: client,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
};
