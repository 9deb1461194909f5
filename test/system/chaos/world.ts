/** Where the chaos happens: a sandbox in its own process, phones, groups, and a service with linked accounts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api } from '../../support/api.ts';
import type { Disk } from '../../support/disk.ts';
import { type Phones, phonesOf } from '../../support/phones.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import { startChild } from '../support/child.ts';
import { MortalService } from './service.ts';

const key = `hs_${'C'.repeat(43)}`;

/** A person with a phone. `device`: the account is linked to the service under this id. */
export interface Person {
  readonly number: string;
  readonly jid: string;
  readonly lid: string;
  readonly device: number | null;
  /** Tells nobody that a message has arrived: what the network's ack did not say, no receipt makes good. */
  readonly silent: boolean;
}

export interface Linked extends Person {
  readonly device: number;
  /** Of its webhook. */
  readonly secret: string;
}

export interface Group {
  readonly jid: string;
  readonly members: readonly Person[];
}

export interface World extends AsyncDisposable {
  readonly phones: Phones;
  readonly service: MortalService;
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

export const addPeople = async (phones: Phones, first: number, names: readonly string[]): Promise<Person[]> => {
  const people: Person[] = [];
  for (const [index, name] of names.entries()) {
    const { number, jid, lid } = await phones.add(String(first + index), name);
    people.push({ number, jid, lid, device: null, silent: false });
  }
  return people;
};

const addSilentPeople = async (phones: Phones, first: number, names: readonly string[]): Promise<Person[]> => {
  const people = await addPeople(phones, first, names);
  for (const { number } of people) await phones.request('PATCH', `/phones/${number}`, { deliverReceipts: false });
  return people.map((person) => ({ ...person, silent: true }));
};

const link = async (client: Api, phones: Phones, person: Person, webhookUrl: string): Promise<Linked> => {
  const created = await client.post('/devices', { webhookUrl });
  if (created.status !== 200) throw new Error(`create: ${created.status} ${JSON.stringify(created.body)}`);
  const { id, qr } = created.body.device as { readonly id: number; readonly qr: string };
  await phones.scan(person.number, qr);
  await eventually(`device ${id} is open`, async () => {
    return (await client.get(`/devices/${id}/session`)).body.session.state === 'open';
  });
  const secret = (await client.get(`/devices/${id}/webhook`)).body.webhook.secret as string;
  return { ...person, device: id, secret };
};

export const makeGroup = async (
  phones: Phones,
  subject: string,
  owner: Person,
  others: readonly Person[],
): Promise<Group> => {
  const participants = others.map(({ number }) => number);
  const { jid } = await phones.request<{ jid: string }>('POST', '/groups', {
    subject,
    owner: owner.number,
    participants,
  });
  return { jid, members: [owner, ...others] };
};

/** Starts everything and links the accounts; the service runs when this resolves. `disk`: where it keeps its data. */
export const makeWorld = async (disk: Disk | null = null): Promise<World> => {
  await using opened = new AsyncDisposableStack();
  const dataDir = disk?.dataDir ?? (await mkdtemp(join(tmpdir(), 'handset-chaos-')));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = startChild('sandbox.ts');
  opened.defer(() => sandbox.stop());
  const { controlUrl } = await sandbox.ask<Place>('start');
  const receiver = await startReceiver();
  opened.defer(() => receiver.close());
  const service = new MortalService({
    ...disk?.env,
    HANDSET_PORT: '0',
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
    receiver,
    linked,
    others,
    groups,
    api: client,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
};
