/** The line over a WebSocket, with the sandbox's handshake at the other end: what goes wrong ends the connection, and nothing else. */
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { type BinaryNode, NOISE_WA_HEADER } from 'baileys';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import {
  certify,
  makeKeyPair,
  answerHello,
  makeServerIdentity,
  type Transport,
} from '../../../sandbox/src/server/transport/noise.ts';
import { framed, FrameReader, lengthBytes } from '../../../src/whatsapp/socket/frames.ts';
import { Line } from '../../../src/whatsapp/socket/line.ts';
import { nodeReader } from '../../../src/whatsapp/socket/node-decoder.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';

/** A WebSocket that has no socket below it. */
class Connection extends EventEmitter {
  readonly readyState = WebSocket.OPEN;
  readonly extensions = '';
  readonly sent: Buffer[] = [];
  broken = false;
  send(message: Buffer): void {
    if (this.broken) throw new Error('the socket is gone');
    this.sent.push(message);
    this.emit('sent');
  }
}

const shaken = async () => {
  const root = makeKeyPair();
  const key = makeKeyPair();
  const ended: unknown[] = [];
  const connection = new Connection();
  const { sent } = connection;
  const line = new Line(
    {
      endpoint: { socketUrl: '', rootKey: root.public },
      creds: newCredentials(),
      payload: () => new Uint8Array(),
      hear: () => undefined,
      ended: (error) => ended.push(error),
      log: pino({ level: 'silent' }),
    },
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only what the line uses of it
    connection as never,
  );
  connection.emit('open');
  const hello = sent.shift()!.subarray(NOISE_WA_HEADER.length + lengthBytes);
  const { reply, finish } = answerHello(makeServerIdentity(key, certify(root, key.public)), hello);
  connection.emit('message', framed(reply));
  const { transport } = finish(sent.shift()!.subarray(lengthBytes));
  return { line, connection, sent, ended, transport };
};

const heard = (sent: readonly Buffer[], transport: Transport): BinaryNode[] => {
  const reader = new FrameReader();
  const nodes: BinaryNode[] = [];
  for (const message of sent) {
    for (const frame of reader.read(message)) nodes.push(nodeReader.decode(transport.open(frame)));
  }
  return nodes;
};

const node = (id: string, content?: Uint8Array): BinaryNode => ({
  tag: 'message',
  attrs: { id },
  ...(content && { content }),
});

test('of stanzas of which one is too long none is sent, and what comes behind them is', async () => {
  const { line, connection, sent, ended, transport } = await shaken();
  assert.throws(() => line.send([node('1'), node('2', Buffer.alloc(2 ** 24)), node('3')]), /too long/);
  assert.throws(() => line.sendInPassing([node('4'), node('5', Buffer.alloc(2 ** 24))]), /too long/);
  line.send([node('6'), node('7')]);
  await once(connection, 'sent');
  if (sent.length < 2) await once(connection, 'sent');
  assert.deepEqual(
    heard(sent, transport).map(({ attrs }) => attrs['id']),
    ['6', '7'],
  );
  assert.deepEqual(ended, []);
});

test('what cannot be written ends the connection, and not the process', async () => {
  const { line, connection, ended } = await shaken();
  connection.broken = true;
  line.send([node('1')]);
  await new Promise(setImmediate);
  assert.match(String(ended), /the socket is gone/);
});

test('a frame that was changed on its way ends the connection', async () => {
  const { connection, ended, transport } = await shaken();
  const sealed = transport.seal(Buffer.from([0, 0xf8, 1, 3]));
  sealed[2]! ^= 1;
  connection.emit('message', framed(sealed));
  assert.match(String(ended), /changed on its way/);
});
