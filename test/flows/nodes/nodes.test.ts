/** Several equal nodes on one PostgreSQL: any node answers, a node that dies loses nothing, one that stops hands over. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { linkLight } from '../../system/cluster/linked.ts';
import { type Answer, api } from '../../support/api.ts';
import { type Cluster, type TestNode, startCluster } from '../../support/cluster.ts';
import { startBucket, type TestBucket } from '../../support/s3/s3.ts';
import { startReceiver } from '../../support/receiver.ts';
import { eventually } from '../../support/wait.ts';
import {
  answerPasskeyOnNodes,
  askByMcpOnNodes,
  otherAddress,
  keepMediaOnNodes,
  renameFrom,
  scheduleOnNodes,
  type Settling,
  settleOnNodes,
  signInOnNodes,
} from './steps.ts';
import { ada, bob, eventsOf, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

let cluster: Cluster;
let bucket: TestBucket;
let settling: Settling;
const devices: number[] = [];
const numbers = [ada, '4915550003333', '4915550004444', '4915550005555'];

const adminToken = 'the operator of all nodes, not of one'.replaceAll(' ', '-');

const at = (node: TestNode) => ({ api: node.api, phones: cluster.phones });
const send = (node: TestNode, id: number, message: string, headers: Record<string, string> = {}) =>
  node.api.post(`/devices/${id}/messages/text`, { toNumber: bob, message }, { headers });

before(async () => {
  bucket = await startBucket();
  cluster = await startCluster(3, { HANDSET_ADMIN_TOKEN: adminToken, ...bucket.settings });
  await cluster.phones.add(bob, 'Bob');
  for (const number of numbers) await cluster.phones.add(number, 'Ada');
});
after(async () => {
  await settling[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});

test('devices are linked through any node, and every node shows and uses all of them', async () => {
  for (const [index, number] of numbers.entries()) {
    devices.push(await linkDevice(at(cluster.nodes[index % 3]!), number));
  }
  for (const [n, node] of cluster.nodes.entries()) {
    const { devices: listed } = (await node.api.get('/devices')).body;
    assert.deepEqual(
      listed.map((device: { status: string }) => device.status),
      devices.map(() => 'connected'),
    );
    for (const id of devices) {
      const sent = await send(node, id, `from node ${n} by device ${id}`);
      assert.equal(sent.status, 200, JSON.stringify(sent.body));
      await untilShown(at(node), bob, `from node ${n} by device ${id}`);
    }
  }
});

test('a large body goes to the owner, and a bad one is refused as ever', async () => {
  const [id] = devices;
  const text = 'x'.repeat(65_536);
  for (const node of cluster.nodes) {
    assert.equal((await send(node, id!, text)).status, 200);
    const wrong = await node.api.post(`/devices/${id}/messages/text`, { toNumber: 'x', message: 'hi' });
    assert.equal(wrong.status, 400);
    const other = await node.api.post(`/devices/999/messages/text`, { toNumber: bob, message: 'hi' });
    assert.equal(other.status, 404);
  }
});

test('media is fetched once, by the owner, into the bucket that all nodes share, and every node serves it', () =>
  keepMediaOnNodes(cluster, bucket, devices[0]!));

test('a turn is reported once, and 101 webhooks share what is stored of an event', async () =>
  void (settling = await settleOnNodes(cluster, numbers, devices)));

test('a passkey is answered through any node, with a one-time token too', () => answerPasskeyOnNodes(cluster));

test('a browser that is signed in at one node is so at every other', () => signInOnNodes(cluster, devices));

test('a model asks any node at each turn', () => askByMcpOnNodes(cluster, devices[0]!));

test('a key that is revoked at one node stops at once at every other', async () => {
  const [one, other] = cluster.nodes;
  const { key } = (await one!.api.post('/keys', { name: 'short-lived' })).body;
  const elsewhere = api(other!.api.baseUrl, key.secret);
  assert.equal((await elsewhere.get('/me')).status, 200);
  assert.equal((await one!.api.delete(`/keys/${key.id}`)).status, 200);
  assert.equal((await elsewhere.get('/me')).body.error.code, 401);
});

test('one key is one message, whichever node is asked', async () => {
  const headers = { 'idempotency-key': 'order-1' };
  const answers: Answer[] = [];
  for (const node of cluster.nodes) answers.push(await send(node, devices[0]!, 'only once', headers));
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.messageId]),
    answers.map(() => [200, answers[0]!.body.messageId]),
  );
  const shown = (await cluster.phones.messages(bob)).filter(({ text }) => text === 'only once');
  assert.equal(shown.length, 1);
});

test('a stream on any node has the events of all of them', async () => {
  const [id] = devices;
  await Promise.all(
    cluster.nodes.map(async (node, n) => {
      const abort = new AbortController();
      const stream = await node.api.fetch(`/devices/${id}/events`, {
        headers: { accept: 'text/event-stream' },
        signal: abort.signal,
      });
      const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
      let seen = (await reader.read()).value ?? '';
      await cluster.phones.write(bob, { to: ada, text: `to the stream ${n}` });
      while (!seen.includes(`to the stream ${n}`)) seen += (await reader.read()).value ?? '';
      abort.abort();
    }),
  );
});

interface Audited {
  readonly action: string;
  readonly actor: { readonly kind: string; readonly address: string };
}

test('the operator stops, starts and deletes a device through any node', async () => {
  const operators = cluster.nodes.map(({ url }) => api(`${url}/admin/v1`, adminToken));
  const [id] = devices;
  for (const [n, operator] of operators.entries()) {
    const stopped = await operator.put(`/devices/${id}`, { subscription_status: 'inactive' });
    assert.deepEqual([stopped.status, stopped.body.device?.state], [200, 'closed'], `node ${n}`);
    const session = (await cluster.nodes[(n + 1) % 3]!.api.get(`/devices/${id}/session`)).body.session;
    assert.equal(session.state, 'closed', `stopped by node ${n}`);
    const refused = await operator.put(`/devices/${id}`, { subscription_status: 'maybe' });
    assert.equal(refused.status, 400);
    assert.equal((await operator.put(`/devices/${id}`, { subscription_status: 'active' })).status, 200);
    await untilOpen(at(cluster.nodes[n]!), id!);
  }
  assert.equal(await renameFrom(otherAddress, cluster.nodes, id!), 200);
  const { entries } = (await operators[0]!.get('/audit?limit=9')).body;
  const seen = entries.map(({ action, actor }: Audited) => `${action} by ${actor.kind} at ${actor.address}`);
  const [mine, operatorsOwn] = [`device.updated by key at ${otherAddress}`, 'device.updated by operator at 127.0.0.1'];
  assert.deepEqual(seen, [mine, mine, mine, ...operators.flatMap(() => [operatorsOwn, operatorsOwn])]);
  const made = await Promise.all(
    cluster.nodes.map(async ({ api: own }) => (await own.post('/devices', {})).body.device.id),
  );
  for (const [n, device] of made.entries()) {
    const operator = operators[(n + 1) % 3]!;
    assert.equal((await operator.delete(`/devices/${device}`)).status, 200);
    assert.equal((await cluster.nodes[n]!.api.get(`/devices/${device}`)).status, 404);
    assert.equal((await operator.delete(`/devices/${device}`)).status, 404);
  }
});

test('the file of a received message can be downloaded through any node', async () => {
  const [id] = devices;
  const bytes = randomBytes(100_001);
  const [messageId] = await cluster.phones.write(bob, { to: ada, documentBase64: bytes.toString('base64') });
  await untilEvent(at(cluster.nodes[0]!), id!, 'message.received', (data: { message: { id: string } }) => {
    return data.message.id === messageId;
  });
  for (const node of cluster.nodes) {
    const answer = await node.api.fetch(`/devices/${id}/messages/${messageId}/media`);
    assert.equal(answer.status, 200);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes);
  }
});

test('a node is killed: its devices and its QR come back on others, and nothing is lost or doubled', async () => {
  await using receiver = await startReceiver();
  const [victim, ...others] = cluster.nodes as [TestNode, TestNode, TestNode];
  for (const id of devices) await others[0].api.put(`/devices/${id}`, { webhookUrl: receiver.url });
  const { id: pairing, qr } = (await victim.api.post('/devices', {})).body.device;
  assert.equal((await others[0].api.get(`/devices/${pairing}`)).body.device.status, 'qr');
  await settling.begin(victim);
  const untilSent = await scheduleOnNodes(cluster, others[0], devices, 'due at the death');
  await victim.kill();
  const killed = performance.now();
  for (const [n, number] of numbers.entries()) await cluster.phones.write(bob, { to: number, text: `while away ${n}` });
  for (const [n, id] of devices.entries()) {
    await untilEvent(at(others[0]), id, 'message.received', (data: { message: { text: string } }) => {
      return data.message.text === `while away ${n}`;
    });
    await untilOpen(at(others[1]), id);
  }
  assert.ok(performance.now() - killed < 30_000, `took ${Math.round(performance.now() - killed)} ms`);
  const next = await eventually('a new QR', async () => {
    const { device } = (await others[1].api.get(`/devices/${pairing}`)).body;
    return device.status === 'qr' && device.qr !== qr ? (device.qr as string) : null;
  });
  await cluster.phones.add('4915550006666', 'Eve');
  await cluster.phones.scan('4915550006666', next);
  await untilOpen(at(others[0]), pairing);
  for (const id of devices) {
    assert.equal((await send(others[1], id, `after the death ${id}`)).status, 200);
    await untilShown(at(others[0]), bob, `after the death ${id}`);
    const events = await eventsOf(at(others[0]), id);
    const received = events.filter(
      ({ type, data }) => type === 'message.received' && /away/.test(JSON.stringify(data)),
    );
    assert.equal(received.length, 1);
  }
  const posted = await receiver.until(devices.length, ({ body }) => /while away/.test(body));
  assert.equal(new Set(posted.map(({ event }) => event.id)).size, devices.length);
  await untilSent();
  await settling.untilReported();
});

test('a node that stops hands its devices over without a word', async () => {
  const fresh = await cluster.add();
  const [leaving] = cluster.nodes as [TestNode, ...TestNode[]];
  const ofConnection = async (id: number) =>
    (await eventsOf(at(fresh), id)).filter(({ type }) => type.startsWith('connection.'));
  const counts = () => Promise.all(devices.map(ofConnection));
  const announced = await counts();
  let flaps = 0;
  const stopped = new AbortController();
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const { devices: listed } = (await fresh.api.get('/devices')).body;
      flaps += listed.filter(({ status }: { status: string }) => status !== 'connected').length;
    }
  })();
  // When an assertion below ends the test, its nodes go while it is still asking.
  watching.catch(() => stopped.abort());
  const { seq: formerly = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  const untilSent = await scheduleOnNodes(cluster, fresh, devices, 'due on the move');
  const stopping = leaving.stop();
  for (const id of devices) {
    const sent = await send(fresh, id, `on the move ${id}`);
    assert.equal(sent.status, 200, JSON.stringify(sent.body));
  }
  await stopping;
  for (const id of devices) await untilOpen(at(fresh), id);
  stopped.abort();
  await watching;
  const takenTooEarly = (await cluster.phones.logins(formerly)).filter(({ replaced }) => replaced);
  assert.deepEqual({ flaps, takenTooEarly }, { flaps: 0, takenTooEarly: [] });
  assert.deepEqual(await counts(), announced);
  for (const id of devices) {
    const shown = (await cluster.phones.messages(bob)).filter(({ text }) => text === `on the move ${id}`);
    assert.equal(shown.length, 1);
  }
  await untilSent();
});

test('a node that joins gets its share, of what nobody uses, and counts requests together with the others', async () => {
  const [last, ...others] = cluster.nodes as [TestNode, ...TestNode[]];
  await Promise.all(others.map((node) => node.stop()));
  const unused = Array.from({ length: 7 }, (_, n) => `49155500088${n}0`);
  const idle = await linkLight(cluster, unused);
  const listed: readonly { readonly id: number }[] = (await last.api.get('/devices')).body.devices;
  const used = listed.map(({ id }) => id).filter((id) => !idle.includes(id));
  assert.deepEqual([used.length, listed.length], [5, 12]);
  for (const { id } of listed) await untilOpen(at(last), id);
  for (const id of used) assert.equal((await send(last, id, `used ${id}`)).status, 200);
  const joined = await cluster.add({ HANDSET_RATE_LIMIT: '30' });
  const operator = api(`${last.url}/admin/v1`, adminToken);
  const spread = async (): Promise<readonly { url: string; devices: number }[]> =>
    (await operator.get('/nodes')).body.nodes;
  const { seq = 0 } = (await cluster.phones.logins()).at(-1) ?? {};
  // Half of twelve and one more stay.
  const share = 5;
  await eventually('the share of the new node', async () => {
    const own = (await spread()).find(({ url }) => url.endsWith(`:${joined.entrance.port}`));
    return own?.devices === share;
  });
  const moved = await eventually('their logins', async () => {
    const logins = await cluster.phones.logins(seq);
    return logins.length >= share && logins;
  });
  assert.deepEqual(
    moved.filter(({ number, replaced }) => replaced || !unused.includes(number)),
    [],
  );
  assert.deepEqual([moved.length, new Set(moved.map(({ number }) => number)).size], [share, share], 'each moved once');
  for (const { id } of listed) await untilOpen(at(last), id);

  const { user } = (await operator.post('/users', { name: 'counted', deviceLimit: 1 })).body;
  const { secret } = (await operator.post(`/users/${user.id}/keys`, { name: 'one' })).body.key;
  const ask = async (node: TestNode) => (await api(`${node.url}/v1`, secret).get('/devices')).status;
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) statuses.push(await ask(last));
  for (let n = 0; n < 15; n += 1) statuses.push(await ask(joined));
  assert.deepEqual(
    [200, 429].map((code) => statuses.filter((status) => status === code).length),
    [30, 5],
  );
});
