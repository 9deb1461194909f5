/** Several nodes in trouble: connections between them break, one is paused, one or all of them lose the database. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { readEvents } from '../../http/events/sse.ts';
import { type Cluster, type TestNode, startCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

let cluster: Cluster;
/** Beside the nodes. */
let database: Client;
const numbers = [ada, '4915550003333', '4915550004444'];
const devices: number[] = [];
/** Length of a lease; a stalled process may lose a fifth of it. */
const leaseMs = 9_000;

const at = (node: TestNode) => ({ api: node.api, phones: cluster.phones });
const send = (node: TestNode, id: number, message: string, headers: Record<string, string> = {}) =>
  node.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message }, { headers });

/** A request lasts 30 s at most, and a busy machine may need longer. */
const sendInTime = async (node: TestNode, id: number, message: string) => {
  for (;;) {
    const sent = await send(node, id, message, { 'idempotency-key': message });
    if (sent.status !== 408) return sent;
  }
};

interface Owned {
  readonly device_id: number;
  readonly url: string;
  readonly left: number;
}

/** Whose lease has ended: nobody's. */
const owners = async (): Promise<ReadonlyMap<number, TestNode>> => {
  const { rows } = await database.query<Owned>(
    `select l.device_id::int, n.url, n.expires_at - extract(epoch from clock_timestamp()) * 1000 as left
     from leases l join nodes n on n.id = l.node`,
  );
  const nodeAt = (url: string) => cluster.nodes.find(({ entrance }) => url.endsWith(`:${entrance.port}`));
  return new Map(
    rows.flatMap(({ device_id, url, left }) => {
      const node = nodeAt(url);
      return node === undefined || left <= 0 ? [] : [[device_id, node] as const];
    }),
  );
};

const devicesOf = async (node: TestNode): Promise<readonly number[]> =>
  [...(await owners())].flatMap(([id, owner]) => (owner === node ? [id] : []));

type Held = readonly [TestNode, readonly number[]];

/** Those with the most devices first. */
const byCount = async (): Promise<[Held, Held, Held]> => {
  const held = Map.groupBy(await owners(), ([, owner]) => owner);
  const all = cluster.nodes.map((node): Held => [node, (held.get(node) ?? []).map(([id]) => id)]);
  return all.toSorted(([, a], [, b]) => b.length - a.length) as [Held, Held, Held];
};

const numberOf = (id: number): string => numbers[devices.indexOf(id)]!;
/** How much waits at the network for a linked device, or was not acknowledged by it. */
const unacknowledged = async (number: string): Promise<number> => {
  const { pending } = await cluster.phones.stats();
  const waiting = Object.entries(pending as Record<string, number>).filter(([jid]) => jid.startsWith(`${number}:`));
  return waiting.reduce((sum, [, count]) => sum + count, 0);
};
const connected = async (): Promise<number> => Number((await cluster.phones.stats())['loggedIn']);

before(async () => {
  cluster = await startCluster(3, { HANDSET_LEASE_SECONDS: String(leaseMs / 1_000) });
  database = new Client(cluster.databaseUrl);
  await database.connect();
  await cluster.phones.add(bob, 'Bob');
  await Promise.all(
    numbers.map(async (number, n) => {
      await cluster.phones.add(number, 'Ada');
      devices[n] = await linkDevice(at(cluster.nodes[n]!), number);
    }),
  );
});
after(async () => {
  await database.end();
  await cluster[Symbol.asyncDispose]();
});

test('a send whose answer is lost between the nodes is made again, and stays one message', async () => {
  const [id] = devices;
  const owner = (await owners()).get(id!)!;
  const other = cluster.nodes.find((node) => node !== owner)!;
  const swallowed = owner.entrance.swallow('"messageId"');
  const sent = await send(other, id!, 'answered once');
  await swallowed;
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const shown = (await cluster.phones.messages(bob)).filter(({ text }) => text === 'answered once');
  assert.deepEqual(
    shown.map((message) => message.id),
    [sent.body.messageId],
  );
});

test('a large send goes again where its owner has not asked for the body, and is a 503 where it has', async () => {
  const [id] = devices;
  const owner = (await owners()).get(id!)!;
  const other = cluster.nodes.find((node) => node !== owner)!;
  const text = (first: string): string => first + '🚲'.repeat(40_000);
  const shown = async (first: string): Promise<number> =>
    (await cluster.phones.messages(bob)).filter((message) => message.text?.startsWith(first)).length;
  const unasked = owner.entrance.swallow('100 Continue');
  assert.equal((await send(other, id!, text('again'))).status, 200);
  await unasked;
  assert.equal(await eventually('it on the phone', () => shown('again')), 1);
  const broken = owner.entrance.cutAfter(100_000);
  const headers = { 'idempotency-key': 'large' };
  const lost = await send(other, id!, text('broken'), headers);
  await broken;
  assert.equal(lost.status, 503, JSON.stringify(lost.body));
  assert.match(lost.headers.get('retry-after') ?? '', /^[1-9]$/);
  const repeated = await send(other, id!, text('broken'), headers);
  assert.equal(repeated.status, 200, JSON.stringify(repeated.body));
  assert.equal(await eventually('it on the phone', () => shown('broken')), 1);
});

test('one node is paused and another one hears nothing of the database: the third has all devices, each connected once', async (t) => {
  await eventually('every device to have its node', async () => (await owners()).size === 3);
  const [[paused, stuck], [cut, free], [third]] = await byCount();
  assert.ok(stuck.length > 0 && free.length > 0);
  const { seq: formerly = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  t.after(() => {
    cut.database.restore();
    paused.signal('SIGCONT');
  });
  paused.signal('SIGSTOP');
  cut.database.hang();
  const waiting = sendInTime(third, free[0]!, 'to a node that is cut off');
  await eventually('the end of the sessions of the node that cannot renew', async () => (await connected()) < 3);
  const early = await cluster.phones.logins(formerly);
  assert.deepEqual(early, [], 'the sockets are closed before anybody can take the devices');
  await eventually('the third to have all', async () => (await devicesOf(third)).length === 3, 45_000);
  for (const id of devices) await untilOpen(at(third), id);
  const answered = await waiting;
  assert.equal(answered.status, 200, JSON.stringify(answered.body));
  const shown = (await cluster.phones.messages(bob)).filter(({ text }) => text === 'to a node that is cut off');
  assert.equal(shown.length, 1);
  cut.database.restore();
  paused.signal('SIGCONT');
  for (const id of devices) {
    for (const node of [paused, cut]) {
      const sent = await send(node, id, `by ${cluster.nodes.indexOf(node)} for ${id}`);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
    }
  }
  const logins = await cluster.phones.logins(formerly);
  const taken = [...stuck, ...free].filter((id) => !logins.some(({ number }) => number === numberOf(id)));
  assert.deepEqual(taken, [], 'not taken over');
  // A paused process cannot close its sockets: the login of the new owner does, once.
  const replaced = logins.flatMap((login) => (login.replaced ? [login.number] : []));
  assert.deepEqual(replaced.toSorted(), stuck.map(numberOf).toSorted());
  // Those that are back get their share.
  await eventually(
    'one device to have moved',
    async () => {
      const all = await owners();
      return all.size === 3 && (await devicesOf(third)).length === 2 && (await connected()) === 3;
    },
    45_000,
  );
  for (const id of devices) await untilOpen(at(third), id);
});

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).toString('base64');

/** One request of every kind: reads, writes, sends, streams, and the sign-in of a page. */
const assertUnavailable = async (node: TestNode, id: number): Promise<void> => {
  const path = `/devices/${id}`;
  const began = performance.now();
  const answers = await Promise.all([
    ...['/me', '/devices', path, `${path}/session`, `${path}/messages`, `${path}/events`, `${path}/webhook`].map(
      (each) => node.api.get(each),
    ),
    node.api.get(`${path}/events`, { headers: { accept: 'text/event-stream' } }),
    node.api.get('/events', { headers: { accept: 'text/event-stream' } }),
    node.api.post('/devices', {}),
    node.api.put(path, { name: 'Renamed' }),
    node.api.post(`${path}/restart`, {}),
    node.api.post(`${path}/webhook/test`, {}),
    node.api.post(`${path}/messages/media`, { toNumber: bob, mediaBase64: png }),
    send(node, id, 'cannot be stored'),
    send(node, id, 'cannot be stored', { 'idempotency-key': 'away' }),
  ]);
  // Within seconds; the rest is for a machine that is busy.
  assert.ok(performance.now() - began < 15_000);
  const message = 'The database is not available; try again in a few seconds, a send with its Idempotency-Key';
  for (const { status, body, headers } of answers) {
    assert.deepEqual([status, body], [503, { status: { code: 503, message } }]);
    assert.equal(headers.get('retry-after'), '5');
  }
  const ready = await fetch(`${node.url}/health/ready`);
  assert.equal(ready.status, 503);
  assert.equal((await fetch(`${node.url}/health/live`)).status, 200);
};

test('no node reaches the database: the sessions stay, nothing is acknowledged that is not stored, and it goes on afterwards', async () => {
  const [id] = devices;
  const node = cluster.nodes[0]!;
  await eventually('all to be connected', async () => (await connected()) === 3, 45_000);
  // What is just being stored when the database goes ends its session: nobody knows what has become of it.
  for (const number of numbers) {
    await eventually('the receipts of what was sent', async () => (await unacknowledged(number)) === 0);
  }
  const { seq: formerly = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  await using stream = await readEvents(node.api, `/devices/${id}/events`);
  for (const each of cluster.nodes) each.database.refuse();
  // From now on nobody renews.
  const end = performance.now() + leaseMs + 1_000;
  await cluster.phones.write(bob, { to: ada, text: 'while the database is away' });
  await assertUnavailable(node, id!);
  await eventually('the end of a lease', () => performance.now() >= end);
  assert.equal(await connected(), 3);
  assert.equal(await unacknowledged(ada), 1);
  for (const each of cluster.nodes) each.database.restore();
  await untilEvent(
    at(node),
    id!,
    'message.received',
    (data: { message: { text: string } }) => data.message.text === 'while the database is away',
  );
  assert.equal((await stream.next())?.data.data.message.text, 'while the database is away', 'on the same stream');
  await eventually('the acknowledgement', async () => (await unacknowledged(ada)) === 0);
  const sent = await eventually('a send', async () => {
    const answer = await send(node, id!, 'stored again');
    return answer.status === 200 && answer;
  });
  assert.equal(sent.status, 200);
  await untilShown(at(node), bob, 'stored again');
  const received = (await eventsOf(at(node), id!)).filter((event) =>
    JSON.stringify(event).includes('while the database'),
  );
  assert.equal(received.length, 1);
  assert.deepEqual(await cluster.phones.logins(formerly), [], 'nobody had to log in again');
  const shown = (await cluster.phones.messages(bob)).filter(({ text }) => text === 'cannot be stored');
  assert.deepEqual(shown, []);
});
