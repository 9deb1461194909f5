/** Keys that encrypt twice are counted, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BinaryNode } from 'baileys';
import { KeyUses } from '../../../sandbox/src/phones/receiving/retries.ts';
import { SignalPeer } from '../../../sandbox/src/phones/signal/signal-peer.ts';
import { newSignalState, restoreSignal, snapshotSignal } from '../../../sandbox/src/phones/signal/signal-state.ts';

const words = (text: string): Uint8Array => Buffer.from(text);

const stanza = (...encs: readonly { readonly type: string; readonly body: Uint8Array }[]): BinaryNode => ({
  tag: 'message',
  attrs: { id: 'A' },
  content: encs.map(({ type, body }) => ({ tag: 'enc', attrs: { v: '2', type }, content: body })),
});

test('a ratchet that goes back is counted, each key once for each message; what comes again unchanged is not', async () => {
  const [mine, theirs] = [newSignalState(), newSignalState()];
  const { keyId, keyPair, signature } = theirs.signedPreKey;
  await new SignalPeer(mine).open('2000_1.0', {
    registrationId: theirs.registrationId,
    identityKey: theirs.identity.pubKey,
    signedPreKey: { keyId, publicKey: keyPair.pubKey, signature },
  });
  const backup = snapshotSignal(mine);
  const uses = new KeyUses();
  const write = async (peer: SignalPeer, text: string): Promise<BinaryNode> =>
    stanza(await peer.encrypt('2000_1.0', words(text)));
  const peer = new SignalPeer(mine);
  const first = await write(peer, 'one');
  for (const each of [first, await write(peer, 'two'), first]) assert.equal(uses.reused('ada chat', each), 0);
  const restored = new SignalPeer(restoreSignal(backup));
  assert.equal(uses.reused('ada chat', await write(restored, 'another one')), 1);
  assert.equal(uses.reused('ada chat', await write(restored, 'another two')), 1);
  assert.equal(uses.reused('ada chat', await write(restored, 'three')), 0);
});

test('a sender key that goes back is counted; the same words from the same place are not two messages', async () => {
  const state = newSignalState();
  await new SignalPeer(state).distribution('group', '1000_1.0');
  const backup = snapshotSignal(state);
  const uses = new KeyUses();
  const write = async (peer: SignalPeer, text: string): Promise<BinaryNode> =>
    stanza({ type: 'skmsg', body: await peer.encryptGroup('group', '1000_1.0', words(text)) });
  assert.equal(uses.reused('ada group', await write(new SignalPeer(state), 'one')), 0);
  assert.equal(uses.reused('ada group', await write(new SignalPeer(restoreSignal(backup)), 'one')), 0);
  assert.equal(uses.reused('ada group', await write(new SignalPeer(restoreSignal(backup)), 'another')), 1);
  assert.equal(uses.reused('bob group', await write(new SignalPeer(restoreSignal(backup)), 'a third')), 0);
});

test('what is no message is left to whoever reads it', async () => {
  const uses = new KeyUses();
  for (const type of ['msg', 'pkmsg', 'skmsg', 'unknown']) {
    assert.equal(uses.reused('ada chat', stanza({ type, body: words('no message') })), 0);
  }
  assert.equal(uses.reused('ada chat', { tag: 'message', attrs: {} }), 0);
});
