/** Two phones of the sandbox write to each other through the hub. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { element } from '../../../sandbox/src/base/nodes.ts';
import { startPhones } from './phone-pair.ts';

test('a text arrives once, decrypted, and the sender sees it accepted and delivered', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const [id] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'hello' }, { quotedId: null, count: 1 });
  await place.settled();
  const [message, ...more] = bob.view.after(0);
  assert.deepEqual(more, []);
  assert.equal(message?.id, id);
  assert.equal(message?.text, 'hello');
  assert.equal(message?.chat, alice.account.jid);
  assert.equal(message?.from, alice.account.jid);
  assert.equal(message?.state, 'received');
  assert.equal(alice.view.find(id!)?.state, 'delivered');
  assert.equal(alice.counters.decryptFailures + bob.counters.decryptFailures, 0);
});

test('an answer goes back in the same session, addressed by LID, and is read', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const [first] = await alice.writer.write(
    bob.account.lid,
    { kind: 'text', text: 'one' },
    { quotedId: null, count: 1 },
  );
  await place.settled();
  const [second] = await bob.writer.write(
    alice.account.lid,
    { kind: 'text', text: 'two' },
    { quotedId: first!, count: 1 },
  );
  await place.settled();
  assert.equal(alice.view.find(second!)?.quotedId, first);
  await alice.writer.read(second!);
  await place.settled();
  assert.equal(bob.view.find(second!)?.state, 'read');
  assert.equal(bob.view.find(second!)?.chat, alice.account.jid);
});

test('an image arrives with its bytes, dimensions and caption', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const bytes = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#2b7' } })
    .jpeg()
    .toBuffer();
  const attachment = { kind: 'image', bytes, mimetype: null, caption: 'green', fileName: null } as const;
  const [id] = await alice.writer.write(bob.account.jid, { kind: 'media', attachment }, { quotedId: null, count: 1 });
  await place.settled();
  const image = bob.view.find(id!)?.image;
  assert.equal(image?.bytes, bytes.length);
  assert.equal(image?.width, 320);
  assert.equal(image?.height, 200);
  assert.equal(image?.caption, 'green');
  assert.equal(image?.mimetype, 'image/jpeg');
  assert.deepEqual((await bob.mediaOf(id!)).bytes, bytes);
});

test('a series of two thousand arrives whole and in order', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const ids = await alice.writer.write(
    bob.account.jid,
    { kind: 'text', text: 'no. {n}' },
    { quotedId: null, count: 2000 },
  );
  await place.settled();
  assert.equal(new Set(ids).size, 2000);
  assert.deepEqual(
    bob.view.after(0).map(({ id }) => id),
    ids,
  );
  assert.equal(bob.view.after(1999)[0]?.text, 'no. 2000');
  assert.equal(bob.counters.decryptFailures, 0);
});

test('edits, reactions and revokes change the message on both phones', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const [id] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'helo' }, { quotedId: null, count: 1 });
  await place.settled();
  await alice.writer.edit(id!, 'hello');
  await bob.writer.react(id!, '👍');
  await place.settled();
  for (const phone of [alice, bob]) {
    assert.equal(phone.view.find(id!)?.text, 'hello');
    assert.equal(phone.view.find(id!)?.edited, true);
    assert.deepEqual(phone.view.find(id!)?.reactions, [{ from: bob.account.jid, emoji: '👍' }]);
  }
  await assert.rejects(bob.writer.edit(id!, 'no'), /only what one wrote/);
  await alice.writer.revoke(id!);
  await place.settled();
  assert.equal(bob.view.find(id!)?.revoked, true);
  assert.equal(bob.view.find(id!)?.text, null);
  assert.equal(bob.view.lastSeq, 1);
});

test('what arrives while a phone is offline waits for it', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  bob.behave({ online: false });
  const [id] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'later' }, { quotedId: null, count: 1 });
  await place.settled();
  assert.equal(bob.view.lastSeq, 0);
  assert.equal(alice.view.find(id!)?.state, 'accepted');
  bob.behave({ online: true });
  await place.settled();
  assert.equal(bob.view.find(id!)?.text, 'later');
  assert.equal(alice.view.find(id!)?.state, 'delivered');
  await assert.rejects(
    (bob.behave({ online: false }),
    bob.writer.write(alice.account.jid, { kind: 'text', text: 'x' }, { quotedId: null, count: 1 })),
    /offline/,
  );
});

test('a phone that gives no receipts leaves the sender without ticks; a blocked one is never heard', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  bob.behave({ deliverReceipts: false });
  const text = { kind: 'text', text: 'quiet' } as const;
  const [id] = await alice.writer.write(bob.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  assert.equal(bob.view.find(id!)?.text, 'quiet');
  assert.equal(alice.view.find(id!)?.state, 'accepted');
  alice.behave({ blockedBy: [bob.account.number] });
  const [blocked] = await alice.writer.write(bob.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  assert.equal(alice.view.find(blocked!)?.state, 'accepted');
  assert.equal(bob.view.find(blocked!), null);
});

test('after a reinstall a retry brings the message that the new app could not read', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const text = { kind: 'text', text: 'again' } as const;
  await alice.writer.write(bob.account.jid, text, { quotedId: null, count: 1 });
  await bob.writer.write(alice.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  await bob.reinstall();
  const [id] = await alice.writer.write(bob.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  assert.equal(bob.view.find(id!)?.text, 'again');
  assert.equal(bob.counters.decryptFailures, 1);
  assert.equal(alice.counters.retriesAnswered, 1);
  const [next] = await bob.writer.write(alice.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  assert.equal(alice.view.find(next!)?.text, 'again');
});

test('a phone that goes offline before it has answered a retry receipt answers it when it is back', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const text = { kind: 'text', text: 'again' } as const;
  const [id] = await alice.writer.write(bob.account.jid, text, { quotedId: null, count: 1 });
  await place.settled();
  // Without keys, which Alice's phone must ask for.
  const retry = element('retry', { count: '1', id: id!, t: '0', v: '1' });
  const attrs = { id: id!, to: alice.account.lid, type: 'retry' };
  place.hub.receive(bob.account.devices.get(0)!, element('receipt', attrs, [retry]));
  alice.behave({ online: false });
  await place.settled();
  assert.equal(alice.counters.retriesAnswered, 0);
  alice.behave({ online: true });
  await place.settled();
  assert.equal(alice.counters.retriesAnswered, 1);
  assert.equal(bob.counters.duplicates, 1);
});

test('a call rings on the other phone and ends', async () => {
  await using place = await startPhones('491510000001', '491510000002');
  const [alice, bob] = place.phones;
  const id = alice.calls.ring(bob.account.jid, true);
  await place.settled();
  assert.deepEqual(bob.calls.find(id), {
    id,
    from: alice.account.jid,
    fromMe: false,
    to: null,
    video: true,
    state: 'offer',
  });
  assert.equal(alice.calls.end(id, 'hangup'), true);
  await place.settled();
  assert.equal(bob.calls.find(id)?.state, 'terminate');
});
