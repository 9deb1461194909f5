/** Operations on several sessions at once do not deadlock while a LID becomes known. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { EncryptBatch, DecryptBatch } from '../../../src/whatsapp/signal/batches.ts';
import { decrypt, encrypt, establish, ourParty, stockParty } from './support.ts';

test('messages to and from the same people pass each other, though one of them has got a LID meanwhile', async () => {
  const ours = ourParty('4910@s.whatsapp.net');
  const [ann, bob] = [stockParty('4911@s.whatsapp.net'), stockParty('4912@s.whatsapp.net')];
  for (const peer of [ann, bob]) await establish(ours, peer);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
  const { decryptBatch, encryptBatch } = ours.repository as unknown as {
    readonly decryptBatch: DecryptBatch;
    readonly encryptBatch: EncryptBatch;
  };
  const came = await Promise.all([ann, bob].map((peer) => encrypt(peer, ours, 'hello')));
  // Something else is under way with the first of them.
  const release = await ours.locks.acquire(['4911.0']);
  const incoming = came.map((sealed, at) => ({ jid: [ann, bob][at]!.jid, ...sealed }));
  const reading = decryptBatch(incoming, () => ({}));
  await ours.mapping.storeLIDPNMappings([{ lid: '2011@lid', pn: ann.jid }]);
  const plaintexts = [ann, bob].map(({ jid }) => ({ jid, plaintext: Buffer.from('hello, too') }));
  const encrypting = encryptBatch(plaintexts, {}, false);
  // The one has everything but what is busy.
  await setImmediate();
  release();
  // What was about to be read is read again, under the other address.
  assert.equal(await reading, 0);
  const { encrypted } = await encrypting;
  for (const [at, peer] of [ann, bob].entries()) assert.equal(await decrypt(peer, ours, encrypted[at]!), 'hello, too');
  assert.equal(await decryptBatch(incoming, () => ({})), 2);
  assert.equal(ours.locks.size, 0);
});
