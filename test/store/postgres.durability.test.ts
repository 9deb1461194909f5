/** A PostgreSQL that gives up what was committed when its power is cut is refused, in words, unless the operator has agreed to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { checkUp } from '../../src/main/check-up.ts';
import type { Finding } from '../../src/main/finding.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { startPostgres } from '../support/postgres.ts';

const secret = 'a secret of thirty-two characters';

type Durability = 'power' | 'process';

const start = async (databaseUrl: string, durability: Durability): Promise<void> =>
  (await openPostgresStore({ databaseUrl, secret, connections: 2, durability })).close();

/** Problems and warnings of `handset doctor` about the database. */
const findings = async (databaseUrl: string, durability: Durability): Promise<readonly Finding[]> => {
  const config = { dataDir: '/nowhere', secret, newSecret: null, sandboxed: true, databaseUrl, durability };
  return (await checkUp(config)).filter(({ text }) => text.includes('PostgreSQL runs with'));
};

const run = async (databaseUrl: string, statement: string): Promise<void> => {
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query(statement);
  await client.end();
};

test('a server that does not flush is refused, and each setting is named', async (t) => {
  const postgres = await startPostgres(['fsync=off', 'full_page_writes=off']);
  t.after(() => postgres.close());
  await assert.rejects(
    start(postgres.only, 'power'),
    /runs with fsync = off: .*runs with full_page_writes = off: .*HANDSET_DURABILITY=process/,
  );
  await start(postgres.only, 'process');
  const told = await findings(postgres.only, 'power');
  assert.deepEqual(
    told.map(({ verdict }) => verdict),
    ['problem', 'problem'],
  );
  assert.ok((await findings(postgres.only, 'process')).every(({ verdict }) => verdict === 'warning'));
});

test('a server that flushes is taken, but not a role that commits without', async (t) => {
  const postgres = await startPostgres(['fsync=on', 'full_page_writes=on']);
  t.after(() => postgres.close());
  await start(postgres.only, 'power');
  assert.deepEqual(await findings(postgres.only, 'power'), []);
  await run(postgres.only, 'alter role handset set synchronous_commit = off');
  await assert.rejects(start(postgres.only, 'power'), /runs with synchronous_commit = off: a power cut/);
  await start(postgres.only, 'process');
  assert.equal((await findings(postgres.only, 'power')).length, 1);
  // With a standby, these wait for it, too.
  for (const value of ['local', 'remote_write', 'remote_apply']) {
    await run(postgres.only, `alter role handset set synchronous_commit = ${value}`);
    await start(postgres.only, 'power');
  }
});

test('the count of requests alone waits for no disk, and a crash of the database may empty it', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.close());
  await start(postgres.only, 'process');
  const client = new Client(postgres.only);
  await client.connect();
  const { rows } = await client.query("select relname from pg_class where relkind = 'r' and relpersistence <> 'p'");
  await client.end();
  assert.deepEqual(rows, [{ relname: 'rates' }]);
});
