/** A session moves in at one of several nodes while another one starts, which clears what came to nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { BufferJSON } from 'baileys';
import { Client } from 'pg';
import { Companion, type Place } from '../../sandbox/companion.ts';
import { type Cluster, startCluster, type TestNode } from '../../support/cluster.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, untilOpen } from '../steps.ts';

describe('a session that moves in at one of several nodes', () => {
  let cluster: Cluster;
  let database: Client;
  const count = async (text: string): Promise<number> => Number((await database.query(text)).rows[0].count);
  const devices = () => count('select count(*) from devices where deleted = 3');
  const keys = () =>
    count('select count(*) from signal_keys k join devices v on v.id = k.device_id where v.deleted = 3');
  const filesOf = async (number: string): Promise<Readonly<Record<string, string>>> => {
    await using client = new Companion(await cluster.phones.request<Place>('GET', '/'));
    await client.link((qr) => cluster.phones.scan(number, qr));
    await client.end();
    const bytes = (): string => JSON.stringify(randomBytes(32), BufferJSON.replacer);
    const many = Array.from({ length: 10_000 }, (_, n) => [
      `pre-key-${n}.json`,
      `{"public":${bytes()},"private":${bytes()}}`,
    ]);
    return { ...Object.fromEntries(many), 'creds.json': JSON.stringify(client.creds, BufferJSON.replacer) };
  };
  /** Stops the node amid the keys; resolves before the request is answered. */
  const begun = async (node: TestNode, number: string) => {
    const files = await filesOf(number);
    const answer = Promise.allSettled([node.api.post('/devices/adopt', { files })]);
    await eventually('the first keys', async () => (await keys()) > 0);
    node.signal('SIGSTOP');
    assert.ok((await keys()) < 10_000);
    return { answer };
  };

  before(async () => {
    cluster = await startCluster(1, {}, true);
    database = new Client({ connectionString: cluster.databaseUrl });
    await database.connect();
    for (const number of [ada, bob]) await cluster.phones.add(number, number);
  });
  after(async () => {
    await database?.end();
    await cluster?.[Symbol.asyncDispose]();
  });

  it('is whole though another node has started meanwhile', async () => {
    const [first] = cluster.nodes;
    const { answer } = await begun(first!, ada);
    const second = await cluster.add();
    assert.deepEqual((await second.api.get('/devices')).body.devices, []);
    first!.signal('SIGCONT');
    const [answered] = await answer;
    assert.ok(answered.status === 'fulfilled');
    const { status, body } = answered.value;
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.adopted.preKeys, 10_000);
    await untilOpen({ api: second.api, phones: cluster.phones }, body.device.id);
  });

  it('leaves nothing an hour after its node has died', async () => {
    const [first] = cluster.nodes;
    await begun(first!, bob);
    await first!.kill();
    await cluster.add();
    assert.equal(await devices(), 1, 'nobody knows yet that its node is gone');
    await database.query('update devices set created_at = created_at - 3600000 where deleted = 3');
    await cluster.add();
    assert.deepEqual([await devices(), await keys()], [0, 0]);
  });
});
