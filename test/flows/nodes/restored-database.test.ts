/** A PostgreSQL that goes back to an earlier state under running nodes: every device is there again, without a restart. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type TestNode, startCluster } from '../../support/cluster.ts';
import { numberIn } from '../../system/cluster/clock.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, linkDevice, untilShown } from '../steps.ts';

it('a database that is restored under two nodes leaves no device dead', async () => {
  await using cluster = await startCluster(2);
  const { phones, nodes, postgres } = cluster;
  const numbers = [ada, '4915550003333', '4915550004444', '4915550005555'];
  await phones.add(bob, 'Bob');
  const devices: number[] = [];
  for (const [n, number] of numbers.entries()) {
    await phones.add(number, 'Ada');
    devices.push(await linkDevice({ api: nodes[n % 2]!.api, phones }, number));
  }
  const untilSent = (node: TestNode, id: number, message: string) =>
    eventually(
      `${message} is sent`,
      async () => {
        const headers = { 'idempotency-key': message };
        const sent = await node.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message }, { headers });
        return sent.status === 200;
      },
      60_000,
    );
  const query = (statement: string) => numberIn(cluster.databaseUrl, statement);
  await postgres.snapshot();
  const before = await query('select value from generation');
  for (const id of devices) await untilSent(nodes[0]!, id, `device ${id} before`);
  await eventually(
    'both nodes have counted on',
    async () => (await query('select value from generation')) > before + 2,
    60_000,
  );
  const { seq = 0 } = (await phones.logins()).at(-1) ?? {};
  await postgres.restore();
  const noticed = `select count(*) as value from audit where action = 'backup.restored'`;
  await eventually('the restoration is noticed', async () => (await query(noticed)) > 0, 60_000);
  for (const id of devices) {
    for (const node of nodes) await untilSent(node, id, `device ${id} at ${node.url}`);
    await untilShown({ api: nodes[0]!.api, phones }, bob, `device ${id} at ${nodes[1]!.url}`);
  }
  const twice = (await phones.logins(seq)).filter(({ replaced }) => replaced);
  assert.deepEqual(twice, [], 'a session begins once the former one has ended');
});
