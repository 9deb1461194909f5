/** The driver before it is loaded: nothing waits for it that need not, and what needs it comes in order. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Network, Session, SessionListener } from '../../src/domain/network.ts';
import { LateNetwork } from '../../src/main/late-network.ts';

const options = { deviceId: 7, pairingNumber: null };

const listener: SessionListener = {
  pairing() {},
  passkey() {},
  linked() {},
  open() {},
  restricted() {},
  closed() {},
};

/** A driver that notes what is asked of it, and loads when it is told to. */
const scripted = () => {
  const calls: string[] = [];
  const gate = Promise.withResolvers<void>();
  const session: Session = {
    deviceId: options.deviceId,
    lookUp: async (number) => (calls.push(`lookUp ${number}`), null),
    send: async () => Promise.reject(new Error('not sent')),
    downloadMedia: async () => Promise.reject(new Error('no media')),
    answerPasskey: async () => void calls.push('answerPasskey'),
    confirmPasskey: async () => void calls.push('confirmPasskey'),
    logout: async () => void calls.push('logout'),
    close: async () => void calls.push('close'),
    cut: () => void calls.push('cut'),
  };
  const driver: Network = {
    connect: () => (calls.push('connect'), session),
    prepareImage: async () => Promise.reject(new Error('no image')),
    newMessageId: () => 'its own',
    sandbox: true,
  };
  const network = new LateNetwork({ sandbox: true, newMessageId: () => 'early' }, async () => {
    calls.push('load');
    await gate.promise;
    return driver;
  });
  return { network, session, calls, gate };
};

test('nothing is loaded for what needs no driver', () => {
  const { network, calls } = scripted();
  assert.deepEqual([network.newMessageId(), network.sandbox], ['early', true]);
  assert.deepEqual(calls, []);
});

test('a session that is wanted early is there at once, and its calls come in order when the driver is', async () => {
  const { network, session, calls, gate } = scripted();
  const early = network.connect(options, listener);
  assert.equal(early.deviceId, options.deviceId);
  const looking = early.lookUp('491');
  early.cut();
  const closing = early.close();
  const refused = [
    assert.rejects(early.send({} as never), /not sent/),
    assert.rejects(network.prepareImage(new Uint8Array(), null), /no image/),
  ];
  assert.deepEqual(calls, ['load'], 'once for all of them');
  gate.resolve();
  await Promise.all([looking, closing, ...refused]);
  assert.deepEqual(calls, ['load', 'connect', 'lookUp 491', 'cut', 'close']);
  await network.settled();
  assert.equal(network.connect(options, listener), session, "from then on it is the driver's own");
});
