/**
 * The code of the previous release, on a database that this version has migrated: beside this one, alone, and started again
 * (docs/operations.md, "Upgrades of the database"). The release is the newest tag before this commit; while the first migration is the
 * only one, there may be none.
 */
import assert from 'node:assert/strict';
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { asking, preloaded, programOf } from '../system/support/child.ts';
import { checkFolder, checkPostgres } from '../../src/main/offline.ts';
import { migrationsOf } from '../../src/store/migrations/run.ts';
import { sqliteTypes } from '../../src/store/sqlite/connection.ts';
import { startSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts';
import { type Api, api } from '../support/api.ts';
import { ownerKey } from '../support/installation.ts';
import { assertNoReusedKeys, type Phones, phonesOf } from '../support/phones.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen, untilShown } from './steps.ts';

const root = join(import.meta.dirname, '../..');
const secret = 'the secret of two versions on one database';

interface Service {
  readonly api: Api;
  stop(): Promise<void>;
}

let folder: string;
let sandbox: Sandbox;
let phones: Phones;

const git = (...args: string[]): Buffer =>
  execFileSync('git', ['-C', root, ...args], { maxBuffer: 2 ** 28, stdio: ['ignore', 'pipe', 'ignore'] });

/** The newest release before this commit, by its tag or, before it is tagged, by its commit; null where there is none, or no history. */
const previousRelease = (): string | null => {
  try {
    const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-version:refname');
    const commit = () => git('log', '-1', '--format=%H', '--grep=^release: ', 'HEAD^').toString().trim();
    return tags.toString().split('\n')[0] || commit() || null;
  } catch {
    return null;
  }
};

const migrationCount = (): number => {
  const { required, expansions } = migrationsOf(sqliteTypes);
  return Object.keys({ ...required, ...expansions }).length;
};

/** The code of the previous release as a folder; null before there was one. Fails where a second migration says that there must be one. */
const unpack = (): string | null => {
  const release = previousRelease();
  if (release === null) {
    assert.equal(
      migrationCount(),
      1,
      'a second migration, and no tag of the release before it: run "git fetch --tags"',
    );
    return null;
  }
  const tree = join(folder, 'release');
  if (existsSync(tree)) return tree;
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', '--prefix=release/', release) });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
};

/** `tree`: the folder of its code. */
const start = async (tree: string, settings: Readonly<Record<string, string>>): Promise<Service> => {
  const scripts = ['test/system/support/handset.ts', 'bench/handset.ts'].map((path) => join(tree, path));
  const script = scripts.find((path) => existsSync(path))!;
  const child = fork(tree === root ? programOf(script) : script, {
    execArgv: [...preloaded],
    env: {
      ...process.env,
      HANDSET_PORT: '0',
      HANDSET_SECRET: secret,
      HANDSET_DURABILITY: 'process',
      HANDSET_BOOTSTRAP_KEY: ownerKey,
      HANDSET_NETWORK: sandbox.controlUrl,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
      HANDSET_RATE_LIMIT: '100000',
      HANDSET_LOG_LEVEL: 'silent',
      HANDSET_LEASE_SECONDS: '5',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  const ask = asking(child, 'the service');
  const url = await ask<string>('start');
  return {
    api: api(`${url}/v1`, ownerKey),
    async stop() {
      await ask('stop');
      child.kill('SIGKILL');
      await gone;
    },
  };
};

/** One message each way, by each of the services. */
const talk = async (services: readonly Service[], id: number, name: string): Promise<void> => {
  for (const [n, service] of services.entries()) {
    const place = { api: service.api, phones };
    await untilOpen(place, id);
    const out = `${name} ${n} out`;
    const sent = await service.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: out });
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
    await untilShown(place, bob, out);
    const back = `${name} ${n} back`;
    await phones.write(bob, { to: ada, text: back });
    const isIt = (data: { message: { text: string } }): boolean => data.message.text === back;
    await untilEvent(place, id, 'message.received', isIt);
  }
};

const skipped = (t: TestContext): void => t.skip('one migration and no tag: there is no previous release');

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handset-previous-release-'));
  sandbox = await startSandbox({ port: 0 });
  phones = phonesOf(sandbox.controlUrl);
});
after(async () => {
  try {
    await assertNoReusedKeys(phones);
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
});

test('nodes of both versions share a PostgreSQL, and one of the previous release starts again on it', async (t) => {
  const tree = unpack();
  if (tree === null) return skipped(t);
  const postgres: TestPostgres = await startPostgres();
  const HANDSET_DATABASE_URL = postgres.only;
  const node = (of: string, name: string): Promise<Service> =>
    start(of, { HANDSET_DATABASE_URL, HANDSET_DATA_DIR: join(folder, name) });
  const running = new Set<Service>();
  const started = async (starting: Promise<Service>): Promise<Service> => {
    const service = await starting;
    running.add(service);
    return service;
  };
  const stop = async (service: Service): Promise<void> => {
    running.delete(service);
    await service.stop();
  };
  try {
    const old = await started(node(tree, 'old'));
    await addPhones({ api: old.api, phones });
    const id = await linkDevice({ api: old.api, phones });
    await talk([old], id, 'before');
    const check = await checkPostgres(HANDSET_DATABASE_URL);
    assert.deepEqual([check.fresh, check.required, check.unknown], [false, [], []]);
    const present = await started(node(root, 'present'));
    assert.deepEqual((await checkPostgres(HANDSET_DATABASE_URL)).expansions, []);
    await talk([old, present], id, 'beside');
    await stop(old);
    await talk([present], id, 'alone');
    const again = await started(node(tree, 'old'));
    await stop(present);
    await talk([again], id, 'started again');
    const back = await started(node(root, 'present'));
    await stop(again);
    await talk([back], id, 'back');
  } finally {
    await Promise.all([...running].map((service) => service.stop()));
    await postgres.close();
  }
});

test('a data folder that this version has migrated is opened by the previous release, and again by this one', async (t) => {
  const tree = unpack();
  if (tree === null) return skipped(t);
  const dataDir = join(folder, 'data');
  const cyd = '4915550003333';
  await phones.add(cyd, 'Cyd');
  let id: number | null = null;
  for (const [n, of] of [tree, root, tree, root].entries()) {
    if (n === 1) assert.deepEqual(checkFolder(dataDir).required, []);
    const service = await start(of, { HANDSET_DATA_DIR: dataDir });
    try {
      id ??= await linkDevice({ api: service.api, phones }, cyd);
      await untilOpen({ api: service.api, phones }, id);
      const text = `by start ${n}`;
      const sent = await service.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message: text });
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      await untilShown({ api: service.api, phones }, bob, text);
    } finally {
      await service.stop();
    }
  }
});
