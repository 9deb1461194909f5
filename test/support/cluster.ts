/** Several nodes of one installation, each in its own process, on a real PostgreSQL and the real sandbox. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, type LoggedError, startChild } from '../system/support/child.ts';
import { startSandbox } from '../../sandbox/src/sandbox.ts';
import { type Api, api } from './api.ts';
import { ownerKey } from './installation.ts';
import { assertNoReusedKeys, firstPreKeys, type Phones, phonesOf } from './phones.ts';
import { type TestPostgres, startPostgres } from './postgres.ts';
import { type Proxy, startProxy } from './proxies/proxy.ts';

export interface TestNode {
  readonly api: Api;
  readonly url: string;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops gracefully, handing its devices over. */
  stop(): Promise<void>;
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
  readonly child: Child;
  /** Connections to the database, and from other nodes; both can be broken. */
  readonly database: Proxy;
  readonly entrance: Proxy;
}

const secret = 'the secret of the cluster, long enough';

/** Lease of the nodes: short, so that tests do not wait long, but long enough for a busy machine. */
const leaseSeconds = 7;

export interface Cluster extends AsyncDisposable {
  readonly phones: Phones;
  readonly secret: string;
  readonly postgres: TestPostgres;
  readonly databaseUrl: string;
  /** Nodes started and neither killed nor stopped. */
  readonly nodes: readonly TestNode[];
  /** What all nodes so far have logged as errors. */
  readonly errors: readonly LoggedError[];
  /** Nodes that ended before anybody had ended them. */
  readonly ownEnds: readonly string[];
  /** `settings`: `HANDSET_…` variables of this node. */
  add(settings?: Readonly<Record<string, string>>): Promise<TestNode>;
}

export const startCluster = async (
  count: number,
  settings: Readonly<Record<string, string>> = {},
  /** Without proxies: faster, but nothing can be broken. */
  direct = false,
  /** Settings of PostgreSQL. */
  postgresSettings: readonly string[] = [],
): Promise<Cluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'handset-cluster-'));
  const [postgres, sandbox] = await Promise.all([startPostgres(postgresSettings), startSandbox({ port: 0 })]);
  const databaseUrl = postgres.only;
  const nodes: TestNode[] = [];
  const children: Child[] = [];
  const ownEnds: string[] = [];
  let started = 0;
  const add = async (own: Readonly<Record<string, string>> = {}): Promise<TestNode> => {
    started += 1;
    const [database, entrance] = await Promise.all([startProxy(), startProxy()]);
    const way = new URL(databaseUrl);
    database.lead(Number(way.port));
    if (!direct) way.port = String(database.port);
    const child = startChild('handset.ts', {
      TEST_FIRST_PREKEYS: String(firstPreKeys),
      HANDSET_PORT: '0',
      HANDSET_DATA_DIR: join(folder, String(started)),
      HANDSET_DATABASE_URL: String(way),
      // The tests' server does not flush, and is never switched off.
      HANDSET_DURABILITY: 'process',
      ...(direct ? {} : { HANDSET_NODE_URL: `http://127.0.0.1:${entrance.port}` }),
      HANDSET_LEASE_SECONDS: String(leaseSeconds),
      HANDSET_SECRET: secret,
      HANDSET_BOOTSTRAP_KEY: ownerKey,
      HANDSET_BOOTSTRAP_DEVICE_LIMIT: '100000',
      HANDSET_NETWORK: sandbox.controlUrl,
      HANDSET_ALLOW_PRIVATE_URLS: 'true',
      HANDSET_RATE_LIMIT: '1000000',
      HANDSET_LOG_LEVEL: process.env['HANDSET_LOG_LEVEL'] ?? 'silent',
      ...settings,
      ...own,
    });
    children.push(child);
    const gone = once(child.process, 'exit');
    const url = await child.ask<string>('start');
    entrance.lead(Number(new URL(url).port));
    const leave = (): void => {
      const at = nodes.indexOf(node);
      if (at !== -1) nodes.splice(at, 1);
    };
    const end = async (): Promise<void> => {
      const { exitCode, signalCode } = child.process;
      if (exitCode !== null || signalCode !== null) ownEnds.push(`exit code ${exitCode}, signal ${signalCode}`);
      child.process.kill('SIGKILL');
      await gone;
      await Promise.all([database.close(), entrance.close()]);
    };
    const node: TestNode = {
      child,
      database,
      entrance,
      url,
      api: api(`${url}/v1`, ownerKey),
      async kill() {
        leave();
        await end();
      },
      async stop() {
        leave();
        await child.ask('stop');
        await end();
      },
      signal: (name) => void child.process.kill(name),
    };
    nodes.push(node);
    return node;
  };
  await Promise.all(Array.from({ length: count }, () => add()));
  const phones = phonesOf(sandbox.controlUrl);
  return {
    phones,
    secret,
    postgres,
    databaseUrl,
    nodes,
    ownEnds,
    get errors() {
      return children.flatMap(({ errors }) => errors);
    },
    add,
    async [Symbol.asyncDispose]() {
      await Promise.all([...nodes].map((node) => node.kill()));
      try {
        await assertNoReusedKeys(phones);
      } finally {
        await sandbox.close();
        await postgres.close();
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
};
