/** A whole connection against a server of handmade frames: what is heard, asked and acknowledged, and how it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { NOISE_WA_HEADER } from 'baileys';
import { pino } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  answerHello,
  certify,
  makeKeyPair,
  makeServerIdentity,
  type Transport,
} from '../../../sandbox/src/server/transport/noise.ts';
import type { BinaryNode } from '../../../src/whatsapp/library/nodes.ts';
import { ConnectionEnded } from '../../../src/whatsapp/socket/connection-ended.ts';
import { framed, FrameReader } from '../../../src/whatsapp/socket/frames.ts';
import { nodeReader } from '../../../src/whatsapp/socket/node-decoder.ts';
import { nodeWriter } from '../../../src/whatsapp/socket/node-encoder.ts';
import { Socket, type SocketOptions } from '../../../src/whatsapp/socket/socket.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { eventually } from '../../support/wait.ts';

/** The server's side of one connection after the handshake. */
const serve = async (connection: WebSocket, root: ReturnType<typeof makeKeyPair>) => {
  const reader = new FrameReader();
  const key = makeKeyPair();
  const heard: BinaryNode[] = [];
  const shaken = Promise.withResolvers<void>();
  let finish: ((frame: Buffer) => { readonly transport: Transport }) | null = null;
  let transport: Transport | null = null;
  let isFirst = true;
  connection.on('message', (bytes: Buffer) => {
    const frames = reader.read(isFirst ? bytes.subarray(NOISE_WA_HEADER.length) : bytes);
    isFirst = false;
    for (const frame of frames) {
      if (transport !== null) heard.push(nodeReader.decode(transport.open(frame)));
      else if (finish === null) {
        const answered = answerHello(makeServerIdentity(key, certify(root, key.public)), Buffer.from(frame));
        ({ finish } = answered);
        connection.send(framed(answered.reply));
      } else {
        ({ transport } = finish(frame));
        shaken.resolve();
      }
    }
  });
  await shaken.promise;
  return {
    connection,
    heard,
    say: (node: BinaryNode) => connection.send(framed(transport!.seal(Buffer.from(nodeWriter.encode(node))))),
  };
};

const start = async (t: TestContext, options: Partial<SocketOptions> = {}) => {
  const root = makeKeyPair();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const serving = new Promise<Awaited<ReturnType<typeof serve>>>((resolve) =>
    server.once('connection', (connection) => resolve(serve(connection, root))),
  );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  const socket = new Socket({
    endpoint: { socketUrl: `ws://127.0.0.1:${port}`, rootKey: root.public },
    creds: newCredentials(),
    payload: () => Buffer.from('who we are'),
    log: pino({ level: 'silent' }),
    ...options,
  });
  const ended = once(socket, 'end') as Promise<[unknown]>;
  t.after(async () => {
    await socket.end();
    for (const client of server.clients) client.terminate();
    server.close();
  });
  return { socket, ended, ...(await serving) };
};

const endOf = async (ended: Promise<[unknown]>): Promise<ConnectionEnded> => {
  const [error] = await ended;
  assert.ok(error instanceof ConnectionEnded);
  return error;
};

test('a question is asked and answered, and what is no answer goes to its handler', async (t) => {
  const { socket, heard, say } = await start(t);
  const messages: string[] = [];
  socket.stanzas.on('message', ({ attrs }) => messages.push(attrs.id!));
  const asked = socket.query({ tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' } });
  const { attrs } = await eventually('the question', () => heard[0]);
  for (const id of ['M1', attrs['id']!]) say({ tag: 'message', attrs: { id, from: '1@lid' } });
  say({ tag: 'iq', attrs: { id: attrs['id']!, type: 'result' } });
  assert.equal((await asked).attrs['type'], 'result');
  assert.deepEqual(messages, ['M1', attrs['id']], 'a message with the id of a query answers nothing');
  assert.equal(socket.line.heard, true);
  const rejected = socket.query({ tag: 'call', attrs: { id: 'C1' } });
  say({ tag: 'ack', attrs: { id: 'C1', class: 'call' } });
  assert.equal((await rejected).tag, 'ack');
});

test('what is unknown or refused is acknowledged, and reaches no handler; what is held comes later', async (t) => {
  const held: (() => void)[] = [];
  const { socket, heard, say } = await start(t);
  socket.holds = (node, go) => {
    if (node.attrs['offline'] === undefined) return false;
    held.push(() => go(node, node.attrs.id === 'C1'));
    return true;
  };
  const calls: string[] = [];
  socket.stanzas.on('call', ({ attrs }) => calls.push(attrs.id!));
  say({ tag: 'whatever', attrs: { id: 'W1', from: '1@lid' } });
  say({ tag: 'call', attrs: { id: 'C1', from: '1@lid', offline: '1' } });
  say({ tag: 'call', attrs: { id: 'C2', from: '1@lid', offline: '1' } });
  say({ tag: 'call', attrs: { id: 'C3', from: '1@lid' } });
  await eventually('the live call', () => calls.length === 1);
  for (const go of held) go();
  await eventually('the acknowledgements', () => heard.length === 2);
  assert.deepEqual(
    heard.map(({ tag, attrs }) => [tag, attrs['id'], attrs['class']]),
    [
      ['ack', 'W1', 'whatever'],
      ['ack', 'C1', 'call'],
    ],
  );
  assert.deepEqual(calls, ['C3', 'C2']);
});

test('the route that the network chooses is kept, and one that is none is not', async (t) => {
  const { socket, say } = await start(t);
  const route = (content: Uint8Array): BinaryNode => ({
    tag: 'ib',
    attrs: {},
    content: [{ tag: 'edge_routing', attrs: {}, content: [{ tag: 'routing_info', attrs: {}, content }] }],
  });
  const changes: unknown[] = [];
  socket.on('credentials', (changed) => changes.push(changed));
  say(route(Buffer.alloc(100_000)));
  say(route(Buffer.from([8, 2, 8, 5])));
  await eventually('the route', () => changes.length > 0);
  assert.deepEqual(changes, [{ routingInfo: Buffer.from([8, 2, 8, 5]) }]);
  assert.deepEqual(socket.creds.routingInfo, Buffer.from([8, 2, 8, 5]));
});

for (const [name, node, code, text] of [
  ['a stream error with a code', { tag: 'stream:error', attrs: { code: '515' } }, 515, /restart required/],
  [
    'a conflict',
    { tag: 'stream:error', attrs: {}, content: [{ tag: 'conflict', attrs: { type: 'replaced' } }] },
    440,
    /conflict/,
  ],
  ['a failure', { tag: 'failure', attrs: { reason: '402', expire: '60' } }, 402, /Connection Failure/],
  ['the end of the stream', { tag: 'xmlstreamend', attrs: {} }, 428, /by Server/],
  [
    'an account without linked devices',
    { tag: 'ib', attrs: {}, content: [{ tag: 'downgrade_webclient', attrs: {} }] },
    411,
    /Multi-device/,
  ],
] as const) {
  test(`${name} ends the connection with its code, and fails what is open`, async (t) => {
    const { socket, ended, say } = await start(t);
    const open = assert.rejects(socket.query({ tag: 'iq', attrs: {} }), ConnectionEnded);
    say(node as BinaryNode);
    await open;
    const error = await endOf(ended);
    assert.equal(error.code, code);
    assert.match(error.message, text);
    assert.equal(socket.isOpen, false);
    await assert.rejects(socket.sendNode({ tag: 'presence', attrs: {} }), ConnectionEnded);
  });
}

test('the details of a failure and of a conflict come with the end', async (t) => {
  const first = await start(t);
  first.say({ tag: 'failure', attrs: { reason: '402', code: '101', expire: '60' } });
  assert.deepEqual((await endOf(first.ended)).details, { reason: '402', code: '101', expire: '60' });
  const second = await start(t);
  second.say({ tag: 'stream:error', attrs: {}, content: [{ tag: 'conflict', attrs: { reason: 'why' } }] });
  assert.partialDeepStrictEqual((await endOf(second.ended)).details, { tag: 'conflict', attrs: { reason: 'why' } });
});

test('a lost connection, and one that we end, end once and with the first error', async (t) => {
  const lost = await start(t);
  lost.connection.terminate();
  assert.equal((await endOf(lost.ended)).code, 428);
  const ours = await start(t);
  const why = new ConnectionEnded('first', 1);
  void ours.socket.end(why);
  void ours.socket.end(new ConnectionEnded('second', 2));
  assert.equal(await endOf(ours.ended), why);
});

test('a server that does not close is cut after a moment', async (t) => {
  const { socket, ended, connection } = await start(t);
  connection.pause();
  const began = performance.now();
  void socket.end();
  await ended;
  const ms = performance.now() - began;
  assert.ok(ms > 1_000 && ms < 10_000, `${ms} ms`);
});

test('a server that is not there ends the connection with the error below', async () => {
  const socket = new Socket({
    endpoint: { socketUrl: 'ws://127.0.0.1:9', rootKey: new Uint8Array(32) },
    creds: newCredentials(),
    payload: () => new Uint8Array(),
    log: pino({ level: 'silent' }),
  });
  const { code, details } = await endOf(once(socket, 'end') as Promise<[unknown]>);
  assert.equal(code, 408);
  assert.ok(details instanceof Error);
});
