/** Data of the versions before 0.3.0 is refused in words, and stays as it is. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { checkUp } from '../../src/main/check-up.ts';
import { backupFolder, folderWasRestored, restoreFolder, compactFolder } from '../../src/store/admin/backup.ts';
import { checkFolder, checkPostgres } from '../../src/store/admin/check-migrations.ts';
import { moveToPostgres } from '../../src/store/admin/move.ts';
import { postgresWasRestored, rotateSharedSecret } from '../../src/store/admin/shared-database.ts';
import { rotateSecret } from '../../src/store/admin/rotate.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { openStore } from '../../src/store/open-sqlite.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';
import { openTestStore } from '../support/store.ts';

const secret = 'a secret that is long enough for data';
const refusal =
  /^(Error: )?The data was made by a development version before 0\.3\.0 \(its newest migration is 0034-sealed-settings\).*nothing was changed.*docs\/operations\.md/s;

/** The tables that tell the version, as those versions made them, and a row. */
const statements = [
  'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
  "insert into kysely_migration values ('0001-initial', '2026-11-21'), ('0002-audit', '2026-11-21')",
  'create table kysely_expansion (name varchar(255) primary key, timestamp varchar(255) not null)',
  "insert into kysely_expansion values ('0034-sealed-settings', '2026-11-25'), ('0005-app-state', '2026-11-22')",
  'create table meta (name text primary key, value text not null)',
  'create table devices (id integer primary key, name text not null)',
  "insert into devices values (1, 'Phone')",
];

describe('a data folder of a development version', () => {
  let folder: string;
  let dataDir: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'handset-development-'));
    dataDir = join(folder, 'data');
    file = join(dataDir, 'handset.db');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, 'secret'), secret, { mode: 0o600 });
    const database = new DatabaseSync(file);
    database.exec('pragma journal_mode = wal');
    for (const statement of statements) database.exec(statement);
    database.close();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Runs work that must be refused. */
  const refused = async (work: () => unknown): Promise<void> => {
    const digest = (): string => createHash('sha256').update(readFileSync(file)).digest('hex');
    const first = digest();
    await assert.rejects(async () => work(), refusal);
    assert.equal(digest(), first);
    const log = `${file}-wal`;
    assert.equal(existsSync(log) ? readFileSync(log).length : 0, 0);
    assert.ok(!existsSync(join(dataDir, 'generation.json')));
  };

  it('is refused by a start, and by the check before it', async () => {
    await refused(() => openStore({ dataDir, secret: null }));
    await refused(() => checkFolder(dataDir));
  });

  it('is refused by all work on a folder', async () => {
    const copy = join(folder, 'copy.db');
    await refused(() => backupFolder(dataDir, copy));
    assert.ok(!existsSync(copy));
    await refused(() => compactFolder(dataDir));
    await refused(() => rotateSecret({ dataDir, secret: null, newSecret: null }));
    assert.ok(!existsSync(join(dataDir, 'secret.next')));
    await refused(() => folderWasRestored(dataDir, null));
    await refused(() => moveToPostgres(dataDir, null, 'postgres://127.0.0.1:1/none'));
  });

  it('is what "handset doctor" and "handset migrate --check" say in words', async () => {
    const config = {
      dataDir,
      secret: null,
      newSecret: null,
      databaseUrl: null,
      durability: 'power',
      mediaStore: null,
    } as const;
    const findings = await checkUp({ ...config, sandboxed: true });
    const [problem] = findings.filter(({ text }) => text.startsWith('The data was made'));
    assert.match(problem!.text, refusal);
    assert.equal(problem!.verdict, 'problem');
    const command = join(import.meta.dirname, '../../src/cli/launch.js');
    const env = { ...process.env, HANDSET_DATA_DIR: dataDir };
    const run = promisify(execFile)(process.execPath, [command, 'migrate', '--check'], { env });
    await assert.rejects(run, ({ code, stderr }: { code: number; stderr: string }) => {
      assert.equal(code, 1);
      assert.match(stderr, /development version before 0\.3\.0/);
      return true;
    });
  });

  it('is refused as a backup, and the folder keeps its database', async () => {
    const store = await openTestStore({ secret });
    await store.stores.users.create('owner', 1, 0);
    await store.stores.close();
    const former = readFileSync(join(store.dataDir, 'handset.db'));
    await refused(() => restoreFolder(store.dataDir, file, secret));
    assert.deepEqual(readFileSync(join(store.dataDir, 'handset.db')), former);
    await store.reopen();
    assert.equal((await store.stores.users.list()).length, 1);
    await store.close();
  });
});

describe('a PostgreSQL of a development version', () => {
  let postgres: TestPostgres;
  let client: Client;

  before(async () => {
    postgres = await startPostgres();
    client = new Client(postgres.only);
    await client.connect();
    for (const statement of statements) await client.query(statement);
  });
  after(async () => {
    await client.end();
    await postgres.close();
  });

  const tablesOf = async (): Promise<unknown> =>
    (await client.query("select tablename from pg_tables where schemaname = 'public' order by 1")).rows;

  it('is refused by a start and by all work on it, and no table is made', async () => {
    const databaseUrl = postgres.only;
    const first = await tablesOf();
    const store = await openTestStore({ secret });
    await store.stores.close();
    for (const work of [
      () => openPostgresStore({ databaseUrl, secret }),
      () => checkPostgres(databaseUrl),
      () => postgresWasRestored(databaseUrl, secret),
      () => rotateSharedSecret({ databaseUrl, secret, newSecret: `${secret}.` }),
      () => moveToPostgres(store.dataDir, secret, databaseUrl),
    ])
      await assert.rejects(work, refusal);
    assert.deepEqual(await tablesOf(), first);
    assert.deepEqual((await client.query('select name from devices')).rows, [{ name: 'Phone' }]);
    await rm(store.dataDir, { recursive: true });
  });

  it('is what "handset doctor" says in words', async () => {
    const config = {
      dataDir: '/nonexistent',
      secret,
      newSecret: null,
      databaseUrl: postgres.only,
      durability: 'process',
    } as const;
    const findings = await checkUp({ ...config, mediaStore: null, sandboxed: true });
    assert.ok(findings.some(({ verdict, text }) => verdict === 'problem' && refusal.test(text)));
  });
});
