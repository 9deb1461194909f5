/** A stock Baileys socket, linked to a phone, exchanges messages with another phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { Companion, eventually } from './companion.ts';

const once = { quotedId: null, count: 1 };

test('texts go both ways, and the own phone shows what its companion wrote', async () => {
  const sandbox = await startSandbox();
  try {
    const alice = sandbox.phones.create('491510000001', 'Alice');
    const bob = sandbox.phones.create('491510000002', 'Bob');
    await using companion = new Companion(sandbox);
    await companion.link((qr) => alice.scan(qr));

    const sent = await companion.socket.sendMessage(bob.account.jid, { text: 'from the companion' });
    const id = sent!.key.id!;
    const seen = await eventually(() => bob.view.find(id));
    assert.equal(seen.text, 'from the companion');
    assert.equal(seen.chat, alice.account.jid);
    const own = await eventually(() => alice.view.find(id));
    assert.equal(own.fromMe, true);
    assert.equal(own.chat, bob.account.jid);
    await eventually(() => alice.view.find(id)?.state === 'delivered');

    const [back] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'to all of Alice' }, once);
    const got = await eventually(() => companion.messages.find(({ key }) => key.id === back));
    assert.equal(got.message?.conversation, 'to all of Alice');
    assert.ok(alice.view.find(back!));

    const [fromPhone] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'from the phone' }, once);
    const copy = await eventually(() => companion.messages.find(({ key }) => key.id === fromPhone));
    assert.equal(copy.key.fromMe, true);
    assert.equal(copy.message?.conversation, 'from the phone');
    assert.equal(sandbox.phones.counters().decryptFailures, 0);
  } finally {
    await sandbox.close();
  }
});
