/** The stage of the soak: a sandbox and the service in processes of their own, linked accounts, other phones, groups. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api } from '../../support/api.ts';
import { type Phones, phonesOf } from '../../support/phones.ts';
import { type Group, type Person, addPeople, linkDevice, makeGroup } from '../support/people.ts';
import { type Child, startChild } from '../support/child.ts';

const key = `hs_${'S'.repeat(43)}`;

export type Linked = Person & { readonly device: number };

export interface World extends AsyncDisposable {
  readonly phones: Phones;
  readonly api: Api;
  readonly linked: readonly Linked[];
  /** People with a phone and nothing else. */
  readonly others: readonly Person[];
  readonly groups: readonly Group[];
  readonly service: Child;
  readonly sandbox: Child;
}

const namesOf = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

/** Everyone in a group of their own choice: some linked accounts, some other phones. */
const makeGroups = async (phones: Phones, linked: readonly Linked[], others: readonly Person[]): Promise<Group[]> => {
  const groups: Group[] = [];
  for (let index = 0; index < 3; index += 1) {
    const members = [...linked, ...others].filter((_, place) => place % 3 !== index);
    groups.push(await makeGroup(phones, `Group ${index + 1}`, members[0]!, members.slice(1, 8)));
  }
  return groups;
};

export const makeWorld = async (devices: number): Promise<World> => {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'handset-soak-'));
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = startChild('sandbox.ts');
  opened.defer(() => sandbox.stop());
  const { controlUrl } = await sandbox.ask<{ controlUrl: string }>('start');
  const service = startChild(
    'handset.ts',
    {
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: dataDir,
      HANDSET_BOOTSTRAP_KEY: key,
      HANDSET_BOOTSTRAP_DEVICE_LIMIT: '10000',
      HANDSET_NETWORK: controlUrl,
      HANDSET_RATE_LIMIT: '1000000',
      HANDSET_LOG_LEVEL: process.env['HANDSET_LOG_LEVEL'] ?? 'fatal',
      MALLOC_ARENA_MAX: '2',
      MALLOC_TRIM_THRESHOLD_: '4194304',
      MALLOC_MMAP_THRESHOLD_: '1048576',
    },
    // As the image runs it.
    ['--max-semi-space-size=8', '--heap-growing-percent=50'],
  );
  opened.defer(() => service.stop());
  // Silences last some seconds here, not half a minute.
  const url = await service.ask<string>('start', { probePace: { silenceMs: 1_500, answerMs: 1_500 } });
  const client = api(`${url}/v1`, key);
  const phones = phonesOf(controlUrl);
  const people = await addPeople(phones, 4_915_580_000_000, namesOf(devices, 'Linked'));
  const linked = await Promise.all(
    people.map(async (person) => ({ ...person, device: await linkDevice(client, phones, person) })),
  );
  const others = await addPeople(phones, 4_915_590_000_000, namesOf(devices, 'Other'));
  const groups = await makeGroups(phones, linked, others);
  const closing = opened.move();
  return {
    phones,
    api: client,
    linked,
    others,
    groups,
    service,
    sandbox,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
};
