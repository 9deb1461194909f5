/** A stock Baileys socket, linked to a phone, exchanges messages with another phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

const once = { quotedId: null, count: 1 };

const start = async () => {
  const sandbox = await startSandbox({ addressing: 'lenient' });
  const companion = new Companion(sandbox);
  return {
    sandbox,
    companion,
    alice: sandbox.phones.create('491510000001', 'Alice'),
    bob: sandbox.phones.create('491510000002', 'Bob'),
    async [Symbol.asyncDispose]() {
      await companion[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
};

test('texts go both ways, and the own phone shows what its companion wrote', async () => {
  await using place = await start();
  const { sandbox, companion, alice, bob } = place;
  await companion.link((qr) => alice.scan(qr));

  const sent = await companion.socket.sendMessage(bob.account.jid, { text: 'from the companion' });
  const id = sent!.key.id!;
  const seen = await eventually('the message', () => bob.view.find(id));
  assert.equal(seen.text, 'from the companion');
  assert.equal(seen.chat, alice.account.jid);
  const own = await eventually('the message', () => alice.view.find(id));
  assert.equal(own.fromMe, true);
  assert.equal(own.chat, bob.account.jid);
  await eventually('the message', () => alice.view.find(id)?.state === 'delivered');

  const [back] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'to all of Alice' }, once);
  const got = await eventually('the message', () => companion.messages.find(({ key }) => key.id === back));
  assert.equal(got.message?.conversation, 'to all of Alice');
  assert.ok(alice.view.find(back!));

  const [fromPhone] = await alice.writer.write(bob.account.jid, { kind: 'text', text: 'from the phone' }, once);
  const copy = await eventually('the message', () => companion.messages.find(({ key }) => key.id === fromPhone));
  assert.equal(copy.key.fromMe, true);
  assert.equal(copy.message?.conversation, 'from the phone');
  assert.equal(sandbox.phones.counters().decryptFailures, 0);
});

test('images go both ways, whole', async () => {
  await using place = await start();
  const { sandbox, companion, alice, bob } = place;
  await companion.link((qr) => alice.scan(qr));
  const picture = await sharp({ create: { width: 800, height: 600, channels: 3, background: '#b72' } })
    .jpeg()
    .toBuffer();
  const sent = await companion.socket.sendMessage(bob.account.jid, { image: picture, caption: 'out' });
  const { image } = await eventually('the image at the phone', () => bob.view.find(sent!.key.id!));
  assert.equal(image?.bytes, picture.length);
  assert.equal(image?.width, 800);
  assert.equal(image?.claimedWidth, 800);
  assert.equal(image?.caption, 'out');
  assert.ok(image.thumbnailBytes > 0);

  const attachment = { kind: 'image', bytes: picture, mimetype: null, caption: 'back', fileName: null } as const;
  const [id] = await bob.writer.write(alice.account.jid, { kind: 'media', attachment }, once);
  const got = await eventually('the image at the companion', () => companion.messages.find(({ key }) => key.id === id));
  assert.equal(got.message?.imageMessage?.caption, 'back');
  assert.deepEqual(await companion.download(got), picture);
  assert.equal(sandbox.phones.counters().mediaFailures, 0);
});

test('an upload whose file is broken shows as failed on the phone', async () => {
  await using place = await start();
  const { companion, alice, bob } = place;
  await companion.link((qr) => alice.scan(qr));
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#b72' } })
    .jpeg()
    .toBuffer();
  const { generateWAMessageContent } = await import('baileys');
  const content = await generateWAMessageContent({ image: picture }, { upload: companion.socket.waUploadToServer });
  content.imageMessage!.fileSha256 = Buffer.alloc(32);
  const id = await companion.socket.relayMessage(bob.account.jid, content, { messageId: '3EB0FA11' });
  const seen = await eventually('the message', () => bob.view.find(id));
  assert.equal(seen.state, 'failed');
  assert.match(seen.error ?? '', /fileSha256/);
  assert.equal(bob.counters.mediaFailures, 1);
});

test('a companion that lost its sessions gets the message again', async () => {
  await using place = await start();
  const { companion, alice, bob } = place;
  await companion.link((qr) => alice.scan(qr));
  const [first] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'one' }, once);
  await eventually('the first message', () => companion.messages.find(({ key }) => key.id === first));
  await companion.socket.sendMessage(bob.account.jid, { text: 'answer' });
  await eventually('the answer', () => bob.view.after(0).find(({ fromMe }) => !fromMe));
  await companion.forgetSessions();
  const [second] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'two' }, once);
  const got = await eventually('the second message', () =>
    companion.messages.find(({ key, message }) => key.id === second && message?.conversation),
  );
  assert.equal(got.message?.conversation, 'two');
  assert.ok(bob.counters.retriesAnswered >= 1);
});

test('unlinking on the phone ends the companion, and its phone no longer lists it', async () => {
  await using place = await start();
  const { companion, alice } = place;
  await companion.link((qr) => alice.scan(qr));
  assert.deepEqual([...alice.account.devices.keys()], [0, 1]);
  assert.equal(alice.unlink(1), true);
  await eventually('the end of the connection', () => companion.closed === 401);
  assert.deepEqual([...alice.account.devices.keys()], [0]);
});

test('expired media is uploaded again by the phone, unless it has deleted it, and once it is online', async () => {
  await using place = await start();
  const { companion, alice, bob } = place;
  await companion.link((qr) => alice.scan(qr));
  const bytes = Buffer.from('a file that the media host drops');
  const attachment = { kind: 'document', bytes, mimetype: null, caption: null, fileName: 'a.txt' } as const;
  const write = async () => {
    const [id] = await bob.writer.write(alice.account.jid, { kind: 'media', attachment }, once);
    const message = await companion.received(id!);
    await eventually('the message on the phone', () => alice.view.find(id!));
    return { id: id!, message };
  };
  const { id, message } = await write();
  alice.expireMedia(id, false);
  const { directPath: former, url: formerUrl } = { ...message.message!.documentMessage! };
  const again = await companion.socket.updateMediaMessage(message);
  const { directPath } = again.message!.documentMessage!;
  assert.notEqual(directPath, former);
  const { host } = new URL(formerUrl!);
  // The engine names the real network's host beside the new path.
  again.message!.documentMessage!.url = `https://${host}${directPath}`;
  assert.deepEqual(await companion.download(again), bytes);

  alice.expireMedia(id, true);
  await assert.rejects(companion.socket.updateMediaMessage(message), /Failed to re-upload media \(2\)/);

  const other = await write();
  alice.expireMedia(other.id, false);
  alice.behave({ online: false });
  const waiting = companion.socket.updateMediaMessage(other.message);
  alice.behave({ online: true });
  assert.match((await waiting).message!.documentMessage!.directPath!, /oe=1/);
});
