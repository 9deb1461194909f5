/** The driver over other lines than the sandbox's, which is spoken to in the clear: over TLS, as the real network, and with a WebSocket that is its runtime's own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { after, test } from 'node:test';
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '../../../src/clock.ts';
import { certificatesFor } from '../../../sandbox/src/media/certificates.ts';
import { WebSocket } from 'ws';
import { eventually } from '../../support/wait.ts';
import { type Rig, startRig } from '../driver.support.ts';

const ann = '4915200000001';
const bob = '4915200000002';

/** Takes TLS away before the socket; returns where that is. */
const behindTls = async (socketUrl: string): Promise<string> => {
  const { ca, key, cert } = await certificatesFor('127.0.0.1');
  setDefaultCACertificates([...getCACertificates('default'), ca]);
  const { hostname, port, pathname } = new URL(socketUrl);
  const server = createServer({ key, cert }, (near) => {
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return `wss://127.0.0.1:${address.port}${pathname}`;
};

const linksSendsAndReceives = async (rig: Rig): Promise<void> => {
  await rig.phones.add(bob, 'Bob');
  const { deviceId, watched } = await rig.linked(ann, 'Ann');
  // Longer than one TLS record takes, and than one write to the socket.
  const long = 'x'.repeat(60_000);
  for (const text of ['first', long, 'last']) await rig.send(watched, bob, { kind: 'text', text });
  const shown = await eventually('the texts on the phone', async () => {
    const messages = await rig.phones.messages(bob);
    return messages.length === 3 ? messages : null;
  });
  assert.deepEqual(
    shown.map(({ text }) => text),
    ['first', long, 'last'],
  );
  await rig.phones.request('POST', `/phones/${bob}/messages`, { to: ann, text: 'an answer' });
  const { data } = await rig.event(deviceId, 'message.received');
  assert.equal(data.message.text, 'an answer');
};

test('driver: links, sends and receives over TLS', async () => {
  await using rig = await startRig(systemClock, behindTls);
  await linksSendsAndReceives(rig);
});

test('driver: the same with a WebSocket that has no socket of Node below it', async () => {
  const { prototype } = WebSocket;
  const setSocket: unknown = Reflect.get(prototype, 'setSocket');
  assert.ok(typeof setSocket === 'function');
  let hidden = 0;
  Reflect.set(prototype, 'setSocket', function hide(this: WebSocket, ...given: unknown[]) {
    Reflect.apply(setSocket, this, given);
    const socket: unknown = Reflect.get(this, '_socket');
    assert.ok(socket instanceof Socket);
    Reflect.set(this, '_socket', new Proxy(socket, { getPrototypeOf: () => null }));
    hidden += 1;
  });
  try {
    await using rig = await startRig();
    await linksSendsAndReceives(rig);
  } finally {
    Reflect.set(prototype, 'setSocket', setSocket);
  }
  assert.notEqual(hidden, 0);
});
