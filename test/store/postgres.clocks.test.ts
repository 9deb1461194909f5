/** Leases end by the clocks of those who look, which nobody sets; the clock of the database may say what it likes. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, afterEach, describe, it } from 'node:test';
import { Kysely } from 'kysely';
import { Client } from 'pg';
import type { LeaseStore } from '../../src/domain/lease.ts';
import { LeaseLost } from '../../src/domain/lease.ts';
import type { Stores } from '../../src/domain/stores.ts';
import { FreshClaims } from '../../src/store/base/context.ts';
import { SuppressingUsers } from '../../src/store/chats/suppressing-users.ts';
import { leaseStore } from '../../src/store/cluster/leases.ts';
import { NodeWatch } from '../../src/store/cluster/node-watch.ts';
import { openPostgresStore } from '../../src/store/open-postgres.ts';
import { PostgresDatabase } from '../../src/store/postgres/postgres.ts';
import type { Schema } from '../../src/store/base/schema.ts';
import { makeSealer } from '../../src/store/sealing/sealer.ts';
import { type TestPostgres, startPostgres } from '../support/postgres.ts';

const secret = 'the secret of a database with a wrong clock';
const leaseMs = 10_000;
const minuteMs = 60_000;
const node = (id: string) => ({ id, url: `http://${id}`, draining: false });

/** Nodes on one database, with one clock that the test moves. */
class Stage {
  now = 0;
  readonly client: Client;
  readonly stores: Stores;
  readonly #database: PostgresDatabase;

  private constructor(client: Client, stores: Stores, database: PostgresDatabase) {
    this.client = client;
    this.stores = stores;
    this.#database = database;
  }

  static async open(databaseUrl: string): Promise<Stage> {
    const client = new Client(databaseUrl);
    await client.connect();
    const stores = await openPostgresStore({ databaseUrl, secret, connections: 2 });
    return new Stage(client, stores, new PostgresDatabase(databaseUrl, 2, () => undefined));
  }

  /** As one more node has them. */
  leases(): LeaseStore {
    const sql = new Kysely<Schema>({ dialect: this.#database.dialect() });
    const claims = { suppressing: new SuppressingUsers(), fresh: new FreshClaims() };
    const rest = { now: Date.now, ...claims, published: () => undefined };
    const context = { sql, database: this.#database, sealer: makeSealer(secret), ...rest };
    return leaseStore(context, new NodeWatch(() => this.now));
  }

  /** Writes of a node while the database's clock is ahead (negative: behind) of what it will be. */
  async renewedBy(leases: LeaseStore, id: string, aheadMs: number): Promise<void> {
    await leases.renew(node(id), leaseMs);
    await this.client.query('update nodes set expires_at = expires_at + $2 where id = $1', [id, aheadMs]);
  }

  /** Its own renewals, every 3 s, for so long; what it may take from then on. */
  async pass(leases: LeaseStore, id: string, ms: number, also: () => Promise<unknown> = async () => undefined) {
    for (let passed = 0; passed < ms; passed += 3_000) {
      this.now += 3_000;
      await also();
      await leases.renew(node(id), leaseMs);
    }
    const own = (await leases.nodes()).find((each) => each.id === id);
    return { ownLeaseEnd: own!.leaseEnd };
  }

  async device(): Promise<number> {
    const user = await this.stores.users.create('owner', 100, 0);
    const wish = { userId: user.id, name: 'Phone', webhookUrl: null, webhookEvents: [] };
    return (await this.stores.devices.create(wish, 0)).id;
  }

  async close(): Promise<void> {
    await this.client.end();
    await this.stores.close();
    await this.#database.close();
  }
}

describe('leases on a PostgreSQL', () => {
  let postgres: TestPostgres;
  let stage: Stage;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.close());
  beforeEach(async () => {
    stage = await Stage.open(await postgres.database());
  });
  afterEach(() => stage.close());

  const takenBy = async (leases: LeaseStore, id: string, wish: { readonly ownLeaseEnd: number }) =>
    (await leases.take(id, 10, wish)).map(({ deviceId }) => deviceId);

  it('whose clock was set back by a minute end in time all the same', async () => {
    const [a, b] = [stage.leases(), stage.leases()];
    const device = await stage.device();
    await a.renew(node('a'), leaseMs);
    assert.equal((await a.acquire('a', device)).kind, 'held');
    await stage.renewedBy(a, 'a', minuteMs);
    await b.renew(node('b'), leaseMs);
    assert.deepEqual(
      await takenBy(b, 'b', await stage.pass(b, 'b', 9_000)),
      [],
      'not before it was watched for a lease',
    );
    const wish = await stage.pass(b, 'b', 6_000);
    assert.equal((await b.find([device])).get(device)?.owner, null);
    assert.deepEqual(
      (await b.nodes()).map(({ id }) => id),
      ['b'],
    );
    assert.deepEqual(await takenBy(b, 'b', wish), [device]);
  });

  it('whose clock was set ahead by a minute do not end while they are renewed', async () => {
    const [a, b] = [stage.leases(), stage.leases()];
    const device = await stage.device();
    await a.renew(node('a'), leaseMs);
    assert.equal((await a.acquire('a', device)).kind, 'held');
    await b.renew(node('b'), leaseMs);
    const wish = await stage.pass(b, 'b', 30_000, () => stage.renewedBy(a, 'a', -minuteMs));
    assert.deepEqual(await takenBy(b, 'b', wish), []);
    assert.deepEqual(await b.acquire('b', device, wish), { kind: 'elsewhere', owner: { id: 'a', url: 'http://a' } });
    assert.equal((await b.find([device])).get(device)?.owner?.id, 'a');
  });

  it('of a node that renews in the very moment of the judgement are not taken', async () => {
    const [a, b] = [stage.leases(), stage.leases()];
    const device = await stage.device();
    await a.renew(node('a'), leaseMs);
    assert.equal((await a.acquire('a', device)).kind, 'held');
    await b.renew(node('b'), leaseMs);
    const wish = await stage.pass(b, 'b', 15_000);
    await a.renew(node('a'), leaseMs);
    assert.deepEqual(await takenBy(b, 'b', wish), []);
    assert.equal((await b.acquire('b', device, wish)).kind, 'elsewhere');
  });

  it('are watched by a node that starts, whatever the clock says of them', async () => {
    const [a, b] = [stage.leases(), stage.leases()];
    const device = await stage.device();
    await a.renew(node('a'), leaseMs);
    assert.equal((await a.acquire('a', device)).kind, 'held');
    await stage.renewedBy(a, 'a', -minuteMs);
    await b.renew(node('b'), leaseMs);
    const first = await stage.pass(b, 'b', 9_000);
    assert.deepEqual(await takenBy(b, 'b', first), []);
    await assert.rejects(b.acquire('b', device, first), LeaseLost);
    assert.deepEqual(await takenBy(b, 'b', await stage.pass(b, 'b', 3_000)), [device]);
  });

  it('are measured by their own length, and not by that of whoever looks', async () => {
    const [a, b] = [stage.leases(), stage.leases()];
    const device = await stage.device();
    await a.renew(node('a'), 3 * leaseMs);
    assert.equal((await a.acquire('a', device)).kind, 'held');
    await b.renew(node('b'), leaseMs);
    assert.deepEqual(await takenBy(b, 'b', await stage.pass(b, 'b', 27_000)), []);
    assert.deepEqual(await takenBy(b, 'b', await stage.pass(b, 'b', 6_000)), [device]);
  });

  it('have their end by the clock of the database in the row', async () => {
    const a = stage.leases();
    await a.renew(node('a'), leaseMs);
    const { rows } = await stage.client.query<{ left: number }>(
      'select (expires_at - extract(epoch from clock_timestamp()) * 1000)::int as left from nodes',
    );
    assert.ok(rows[0]!.left > leaseMs - 3_000 && rows[0]!.left <= leaseMs);
  });
});
