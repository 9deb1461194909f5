/** With a data directory everything survives a restart of the sandbox. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

const once = { quotedId: null, count: 1 };

const directory = async () => {
  const path = await mkdtemp(join(tmpdir(), 'sandbox-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};

test('accounts, sessions, messages, media and what waits are there again', async () => {
  await using place = await directory();
  const first = await startSandbox({ dataDir: place.path, addressing: 'lenient' });
  const alice = first.phones.create('491510000001', 'Alice');
  const bob = first.phones.create('491510000002', 'Bob');
  await using companion = new Companion(first);
  await companion.link((qr) => alice.scan(qr));
  const picture = await sharp({ create: { width: 80, height: 60, channels: 3, background: '#b72' } })
    .jpeg()
    .toBuffer();
  const sent = await companion.socket.sendMessage(bob.account.jid, { image: picture });
  await eventually('the image', () => bob.view.find(sent!.key.id!));
  const [toAlice] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'before' }, once);
  await eventually('the text', () => companion.messages.find(({ key }) => key.id === toAlice));
  await companion.end();
  const [waiting] = await bob.writer.write(alice.account.jid, { kind: 'text', text: 'while away' }, once);
  await first.close();

  const second = await startSandbox({ dataDir: place.path, addressing: 'lenient' });
  try {
    const { socketUrl, rootKey, mediaCa, controlUrl } = second;
    assert.deepEqual(
      { socketUrl, rootKey, mediaCa, controlUrl },
      { socketUrl: first.socketUrl, rootKey: first.rootKey, mediaCa: first.mediaCa, controlUrl: first.controlUrl },
    );
    const bobAgain = second.phones.find('491510000002')!;
    assert.equal(bobAgain.account.lid, bob.account.lid);
    assert.deepEqual(bobAgain.view.after(0), bob.view.after(0));
    assert.deepEqual((await bobAgain.mediaOf(sent!.key.id!)).bytes, picture);
    companion.connect();
    const late = await eventually('what waited', () => companion.messages.find(({ key }) => key.id === waiting));
    assert.equal(late.message?.conversation, 'while away');
    const answer = await companion.socket.sendMessage(bob.account.jid, { text: 'after' });
    await eventually('the answer', () => bobAgain.view.find(answer!.key.id!));
    assert.equal(second.phones.counters().decryptFailures, 0);
  } finally {
    await companion.end();
    await second.close();
  }
  assert.deepEqual(
    (await readdir(place.path, { recursive: true })).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('what changed is written while the sandbox runs', async () => {
  await using place = await directory();
  const sandbox = await startSandbox({ dataDir: place.path, addressing: 'lenient' });
  try {
    sandbox.phones.create('491510000001', 'Alice');
    await eventually('the file of the phone', async () =>
      (await readdir(join(place.path, 'phones'))).includes('491510000001.json'),
    );
  } finally {
    await sandbox.close();
  }
});

test('a port of the last time that is taken now is replaced, one that was asked for is an error', async () => {
  await using place = await directory();
  const first = await startSandbox({ dataDir: place.path, addressing: 'lenient' });
  const port = Number(new URL(first.controlUrl).port);
  await first.close();
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  try {
    const second = await startSandbox({ dataDir: place.path, addressing: 'lenient' });
    assert.notEqual(second.controlUrl, first.controlUrl);
    assert.equal(second.rootKey, first.rootKey);
    await second.close();
    await assert.rejects(startSandbox({ port }), /EADDRINUSE/);
  } finally {
    await new Promise((resolve) => squatter.close(resolve));
  }
});
