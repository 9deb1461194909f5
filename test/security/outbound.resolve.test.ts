/** Names to addresses: by DNS, by the hosts file where DNS knows nothing, and never for long. */
import assert from 'node:assert/strict';
import { type Socket, createSocket } from 'node:dgram';
import { test } from 'node:test';
import { makeResolve } from '../../src/outbound/connect.ts';
import { failure, strict } from './outbound.support.ts';

const types = { A: 1, AAAA: 28 } as const;

interface Zone {
  readonly [name: string]:
    | { readonly A?: readonly number[]; readonly AAAA?: readonly number[] | 'silence' }
    | 'silence'
    | 'fails';
}

const nameIn = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.subarray(at + 1, at + 1 + length).toString());
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
};

/** RFC 1035, 4.1: header, the question again, and one record where there is one. */
const answerTo = (zone: Zone, query: Buffer): Buffer | null => {
  const { name, end } = nameIn(query);
  const type = query.readUInt16BE(end);
  const entry = zone[name];
  if (entry === 'silence') return null;
  const given = typeof entry === 'object' ? (type === types.A ? entry.A : entry.AAAA) : undefined;
  if (given === 'silence') return null;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  const code = entry === undefined ? 3 : entry === 'fails' ? 2 : 0;
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(given === undefined ? 0 : 1, 6);
  const question = query.subarray(12, end + 4);
  if (given === undefined) return Buffer.concat([header, question]);
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(60, 6);
  record.writeUInt16BE(given.length, 10);
  return Buffer.concat([header, question, record, Buffer.from(given)]);
};

const nameServer = async (zone: Zone): Promise<{ readonly address: string; readonly socket: Socket }> => {
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const answer = answerTo(zone, query);
    if (answer !== null) socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  return { address: `127.0.0.1:${socket.address().port}`, socket };
};

const zone: Zone = {
  'both.example.com': { A: [192, 0, 2, 1], AAAA: [0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] },
  'four.example.com': { A: [10, 0, 0, 1] },
  'half.example.com': { A: [10, 0, 0, 2], AAAA: 'silence' },
  'fails.example.com': 'fails',
  'slow.example.com': 'silence',
};

test('a name has the addresses that DNS gives it, of both families', async () => {
  const { address, socket } = await nameServer(zone);
  const resolve = makeResolve({ servers: [address] });
  assert.deepEqual(await resolve('both.example.com'), [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  assert.deepEqual(await resolve('four.example.com'), [{ address: '10.0.0.1', family: 4 }]);
  const hasty = makeResolve({ servers: [address], timeoutMs: 500 });
  assert.deepEqual(await hasty('half.example.com'), [{ address: '10.0.0.2', family: 4 }]);
  socket.close();
});

test('local names come from the machine', async () => {
  const addresses = await makeResolve({ servers: ['127.0.0.1:1'] })('localhost');
  assert.ok(addresses.length > 0);
  assert.ok(addresses.every(({ address }) => address === '::1' || address.startsWith('127.')));
});

test('a name server that fails or does not answer is told apart from a name that is not there', async () => {
  const { address, socket } = await nameServer(zone);
  const resolve = makeResolve({ servers: [address], timeoutMs: 100 });
  for (const name of ['fails.example.com', 'slow.example.com']) {
    assert.equal(((await failure(resolve(name))) as NodeJS.ErrnoException).code, 'EAI_AGAIN', name);
  }
  socket.close();
});

test('names that are never answered hold up neither others nor the threads of the pool', async () => {
  const { address, socket } = await nameServer(zone);
  const resolve = makeResolve({ servers: [address], timeoutMs: 2000 });
  const outbound = strict({ resolve });
  const request = { headers: {}, body: '', timeoutMs: 10_000 };
  const stuck = Array.from({ length: 20 }, () => failure(outbound.post('http://slow.example.com/', request)));
  let given = 0;
  for (const one of stuck) void one.then(() => (given += 1));
  const quick = await failure(outbound.post('http://four.example.com/', request));
  assert.equal(quick.message, 'the host has a private or reserved address');
  assert.equal(given, 0, 'a quick name had to wait for slow ones');
  await outbound.close();
  await Promise.all(stuck);
  socket.close();
});
