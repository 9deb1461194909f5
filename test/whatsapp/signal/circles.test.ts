/** Operations on several sessions at once, while it becomes known whose they are: none waits for the other for ever. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { SealTogether } from '../../../src/whatsapp/signal/outward.ts';
import type { ReadTogether } from '../../../src/whatsapp/signal/together.ts';
import { decrypt, encrypt, establish, ourParty, stockParty } from './support.ts';

test('messages to and from the same people pass each other, though one of them has got a LID meanwhile', async () => {
  const ours = ourParty('4910@s.whatsapp.net');
  const [ann, bob] = [stockParty('4911@s.whatsapp.net'), stockParty('4912@s.whatsapp.net')];
  for (const peer of [ann, bob]) await establish(ours, peer);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the support types it as Baileys' own
  const { readTogether, sealTogether } = ours.repository as unknown as {
    readonly readTogether: ReadTogether;
    readonly sealTogether: SealTogether;
  };
  const came = await Promise.all([ann, bob].map((peer) => encrypt(peer, ours, 'hello')));
  // Something else is under way with the first of them.
  const release = await ours.locks.acquire(['4911.0']);
  const enclosed = came.map((sealed, at) => ({ jid: [ann, bob][at]!.jid, ...sealed }));
  const reading = readTogether(enclosed, () => ({}));
  await ours.mapping.storeLIDPNMappings([{ lid: '2011@lid', pn: ann.jid }]);
  const open = [ann, bob].map(({ jid }) => ({ jid, plaintext: Buffer.from('hello, too') }));
  const sealing = sealTogether(open, {}, false);
  // The one has everything but what is busy.
  await setImmediate();
  release();
  // What was about to be read is read again, under the other address.
  assert.equal(await reading, 0);
  const { sealed } = await sealing;
  for (const [at, peer] of [ann, bob].entries()) assert.equal(await decrypt(peer, ours, sealed[at]!), 'hello, too');
  assert.equal(await readTogether(enclosed, () => ({})), 2);
  assert.equal(ours.locks.size, 0);
});
