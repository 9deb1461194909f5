/** The sandbox's own WebSocket server: what clients send in any cut, and what is refused. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { messageOf } from '../../../sandbox/src/server/transport/frames.ts';
import { makeSocketReader } from '../../../sandbox/src/server/transport/socket-reader.ts';
import { acceptSocket } from '../../../sandbox/src/server/transport/web-socket.ts';

interface Frame {
  readonly opcode?: number;
  readonly final?: boolean;
  readonly masked?: boolean;
  readonly payload: Buffer;
}

/** A frame as a client writes it. */
const frameOf = ({ opcode = 2, final = true, masked = true, payload }: Frame): Buffer => {
  const { length } = payload;
  const head = Buffer.alloc(10);
  head[0] = (final ? 0x80 : 0) | opcode;
  head[1] = (masked ? 0x80 : 0) | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (length >= 65_536) head.writeBigUInt64BE(BigInt(length), 2);
  else if (length >= 126) head.writeUInt16BE(length, 2);
  const headBytes = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const mask = masked ? randomBytes(4) : Buffer.alloc(0);
  const body = masked ? payload.map((byte, at) => byte ^ mask[at & 3]!) : payload;
  return Buffer.concat([head.subarray(0, headBytes), mask, body]);
};

/** What was heard, in order. */
const hearing = (mostBytes = 1_000_000) => {
  const heard: string[] = [];
  const take = makeSocketReader(
    {
      message: (data, from, to) => void heard.push(`message ${data.toString('hex', from, to)}`),
      ping: (data) => void heard.push(`ping ${data.toString('hex')}`),
      close: () => void heard.push('close'),
    },
    mostBytes,
  );
  return { heard, take };
};

test('messages of all lengths come whole, however the connection cuts them', () => {
  const payloads = [0, 1, 2, 3, 4, 5, 125, 126, 300, 65_535, 65_536, 70_001].map((length) => randomBytes(length));
  const bytes = Buffer.concat(payloads.map((payload) => frameOf({ payload })));
  for (const cut of [1_000_000, 65_536, 1000, 7]) {
    const { heard, take } = hearing();
    for (let at = 0; at < bytes.length; at += cut) take(Buffer.from(bytes.subarray(at, at + cut)));
    assert.deepEqual(
      heard,
      payloads.map((payload) => `message ${payload.toString('hex')}`),
    );
  }
});

test('a message in several frames is one, with what comes between them heard at once', () => {
  const { heard, take } = hearing();
  take(frameOf({ final: false, payload: Buffer.from('aa', 'hex') }));
  take(frameOf({ opcode: 9, payload: Buffer.from('01', 'hex') }));
  take(frameOf({ opcode: 10, payload: Buffer.from('02', 'hex') }));
  take(frameOf({ opcode: 0, final: false, payload: Buffer.from('bb', 'hex') }));
  take(frameOf({ opcode: 0, payload: Buffer.from('cc', 'hex') }));
  take(frameOf({ opcode: 8, payload: Buffer.alloc(0) }));
  assert.deepEqual(heard, ['ping 01', 'message aabbcc', 'close']);
});

test('what is not masked, too large, a text or a continuation of nothing is refused', () => {
  const payload = Buffer.from('text');
  const large = Buffer.alloc(60);
  for (const frames of [
    [frameOf({ payload, masked: false })],
    [frameOf({ payload: Buffer.alloc(101) })],
    [frameOf({ payload: large, final: false }), frameOf({ payload: large, opcode: 0 })],
    [frameOf({ payload, opcode: 1 })],
    [frameOf({ payload, opcode: 0 })],
  ]) {
    assert.throws(() => frames.forEach(hearing(100).take));
  }
});

test('a client of ws is answered, pinged back, and ended', async () => {
  const server = createServer((_request, response) => response.writeHead(426).end());
  const ended = Promise.withResolvers<void>();
  server.on('upgrade', (request, stream, head) => {
    const socket = acceptSocket(request, stream);
    socket?.listen(
      {
        message: (data, from, to) => {
          // Twice, from two places.
          socket.write(messageOf(data, [from, to, from, to]));
          if (data.toString('utf8', from, to) === 'end') socket.close();
        },
        closed: ended.resolve,
        failed: (error) => assert.fail(String(error)),
      },
      head,
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const refused = await fetch(`http://127.0.0.1:${port}`);
  assert.equal(refused.status, 426);
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: true });
  await once(client, 'open');
  client.ping('still there');
  assert.equal(String((await once(client, 'pong'))[0]), 'still there');
  client.send(Buffer.from('hello'));
  assert.equal(String((await once(client, 'message'))[0]), 'hellohello');
  const long = 'long'.repeat(20_000);
  client.send(Buffer.from(long));
  assert.equal(String((await once(client, 'message'))[0]), long + long);
  client.send(Buffer.from('end'));
  await Promise.all([once(client, 'close'), ended.promise]);
  server.close();
});
