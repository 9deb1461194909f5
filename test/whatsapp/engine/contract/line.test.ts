/** Contract of the line: how Baileys holds its WebSocket, what it writes there, and how it announces what comes. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { encodeBinaryNode, NOISE_WA_HEADER } from 'baileys';
import { DOUBLE_BYTE_TOKENS, SINGLE_BYTE_TOKENS, TAGS, TOKEN_MAP } from 'baileys/lib/WABinary/constants.js';
import { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { framed } from '../../../../src/whatsapp/engine/line/frames.ts';
import { digest, inner, stockSocket } from './support.ts';

test('the WebSocket is of the library that we import, and under `socket`', async (t) => {
  const { ws } = await stockSocket(t);
  assert.ok(Reflect.get(ws, 'socket') instanceof WebSocket);
  assert.equal(Reflect.get(ws, 'config').browser.length, 3);
});

test('before its handshake Baileys writes a stanza in plain, with its length, and the intro before the first', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  t.after(() => server.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as { port: number };
  const sock = await stockSocket(t, { waWebSocketUrl: `ws://127.0.0.1:${port}` });
  sock.ws.removeAllListeners('open');
  await once(sock.ws, 'open');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the test above has it
  const connection = Reflect.get(sock.ws, 'socket') as WebSocket;
  assert.ok(Reflect.get(connection, '_socket') instanceof Duplex, 'what the line corks');
  const written: unknown[] = [];
  connection.send = (...given: unknown[]) => {
    written.push(given[0]);
    Reflect.apply(given.at(-1) as () => void, null, []);
  };
  const node = { tag: 'presence', attrs: { type: 'unavailable' } };
  await sock.sendNode(node);
  await sock.sendNode(node);
  const plain = framed(encodeBinaryNode(node));
  assert.deepEqual(written, [Buffer.concat([NOISE_WA_HEADER, plain]), plain]);
  const heard = once(sock.ws, 'message');
  for (const client of server.clients) client.send('x');
  assert.ok(Buffer.isBuffer((await heard)[0]), 'messages come as buffers');
});

test('the socket sends, announces, waits and ends as in 7.0.0-rc14', () => {
  const names = [
    'sendRawMessage',
    'sendNode',
    'waitForMessage',
    'query',
    'onMessageReceived',
    'validateConnection',
    'end',
  ];
  assert.deepEqual(
    names.map((name) => `${name} ${digest(inner('Socket/socket.js', name))}`),
    [
      'sendRawMessage dad14230a535',
      'sendNode dc5fd69ce721',
      'waitForMessage 0ccfc3faf8a0',
      'query 18d8374bb787',
      'onMessageReceived f7ed7b68aa5c',
      'validateConnection 534b6f123e2c',
      'end e2adb6376c8d',
    ],
  );
});

test('the dictionaries of the node codec have not changed', () => {
  assert.deepEqual(
    [SINGLE_BYTE_TOKENS.length, DOUBLE_BYTE_TOKENS.map(({ length }) => length)],
    [236, [256, 256, 256, 256]],
  );
  assert.equal(digest(JSON.stringify([TAGS, SINGLE_BYTE_TOKENS, DOUBLE_BYTE_TOKENS, TOKEN_MAP])), '8ae8355eaeda');
});

test('hanging up: a `close` on the WebSocket client ends the socket and fails what waits', async (t) => {
  const sock = await stockSocket(t);
  assert.ok(sock.ws instanceof EventEmitter);
  const failed = assert.rejects(sock.waitForMessage('1'), /Connection Closed/);
  const ended = new Promise((resolve) =>
    sock.ev.on('connection.update', ({ connection }) => connection === 'close' && resolve(1)),
  );
  Reflect.apply(Reflect.get(Reflect.get(sock.ws, 'socket'), 'terminate'), Reflect.get(sock.ws, 'socket'), []);
  sock.ws.emit('close');
  await Promise.all([failed, ended]);
});
