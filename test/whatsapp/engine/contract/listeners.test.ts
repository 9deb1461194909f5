/** Contracts of the replaced and wrapped listeners: Baileys listens to what we know of, once each, and does there what it did. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Replaced } from '../../../../src/whatsapp/engine/stanza-hooks.ts';
import { digest, inner, stockSocket } from './support.ts';

const receive = 'Socket/messages-recv.js';

test('Baileys listens to these stanzas, this often', async (t) => {
  const { ws } = await stockSocket(t);
  assert.deepEqual(Object.fromEntries(ws.eventNames().map((name) => [String(name), ws.listenerCount(name)])), {
    message: 1,
    open: 1,
    error: 1,
    close: 1,
    'CB:xmlstreamend': 1,
    'CB:iq,type:set,pair-device': 1,
    'CB:iq,,pair-success': 1,
    'CB:success': 1,
    'CB:stream:error': 1,
    'CB:failure': 1,
    'CB:ib,,downgrade_webclient': 1,
    'CB:ib,,offline_preview': 1,
    'CB:ib,,edge_routing': 1,
    'CB:ib,,offline': 1,
    'CB:presence': 1,
    'CB:chatstate': 1,
    'CB:ib,,dirty': 3,
    'CB:message': 1,
    'CB:call': 1,
    'CB:receipt': 1,
    'CB:notification': 1,
    'CB:ack,class:message': 1,
  });
});

test('the listeners that we replace or wrap are those of 7.0.0-rc14', async (t) => {
  const { ws } = await stockSocket(t);
  const expected: Record<Replaced, string> = {
    open: '8eafd374db85',
    message: 'fff1e9bd3a28',
    'CB:iq,type:set,pair-device': 'e9b72953068c',
    'CB:iq,,pair-success': 'ee844b8b1561',
    'CB:success': '01369242e7cf',
    'CB:ib,,offline_preview': 'ff5531375dbb',
    'CB:message': 'f904cd4e492e',
    'CB:call': '9d5afa631a43',
    'CB:receipt': 'e25f89a5bb7c',
    'CB:notification': '7f1d99540630',
  };
  const found = Object.keys(expected).map((name) => [name, ws.listeners(name).map(digest).join(' ')]);
  assert.deepEqual(Object.fromEntries(found), expected);
});

test('two listeners keep the credentials: one copies, the other tells the network the name', async (t) => {
  const { ev } = await stockSocket(t);
  const emitter: unknown = ev.on('call', () => undefined);
  assert.ok(emitter instanceof EventEmitter, 'the emitter behind the buffer of events');
  assert.deepEqual(emitter.listeners('creds.update').map(digest), ['5404ed645a07', '4cc2704f297a']);
});

for (const [name, expected] of Object.entries({
  handleMessage: '4e6e6859815c',
  handleReceipt: 'b704f9ef367d',
  handleCall: '62f4372dc42b',
  handleNotification: '6e2cff4ce889',
  sendRetryRequest: 'd3d38ec12161',
  sendMessageAck: 'f5b784a050c2',
})) {
  test(`${name} does what it does in 7.0.0-rc14`, () => {
    assert.equal(digest(inner(receive, name)), expected, inner(receive, name).slice(0, 60));
  });
}
