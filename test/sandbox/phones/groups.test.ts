/** Groups: phones and a stock socket write to all members under sender keys. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSandbox } from '../../../sandbox/src/sandbox.ts';
import { eventually } from '../../support/wait.ts';
import { Companion } from '../companion.ts';

const once = { quotedId: null, count: 1 };

test('three phones and a companion talk in a group', async () => {
  const sandbox = await startSandbox({ addressing: 'lenient' });
  const companion = new Companion(sandbox);
  try {
    const [alice, bob, carol] = ['1', '2', '3'].map((n) => sandbox.phones.create(`49151000000${n}`, `Phone ${n}`));
    await companion.link((qr) => alice!.scan(qr));
    const group = await bob!.createGroup('Friends', [alice!.account, carol!.account]);
    assert.match(group, /^\d+@g\.us$/);

    for (const text of ['first', 'second']) {
      const [id] = await bob!.writer.write(group, { kind: 'text', text }, once);
      const got = await eventually('it at the companion', () => companion.messages.find(({ key }) => key.id === id));
      assert.equal(got.message?.conversation, text);
      assert.equal(got.key.remoteJid, group);
      for (const phone of [alice!, carol!]) {
        const seen = await eventually('it at a phone', () => phone.view.find(id!));
        assert.deepEqual([seen.chat, seen.from, seen.text], [group, bob!.account.jid, text]);
      }
    }

    const sent = await companion.socket.sendMessage(group, { text: 'from the companion' });
    for (const phone of [alice!, bob!, carol!]) {
      const seen = await eventually('it at a phone', () => phone.view.find(sent!.key.id!));
      assert.deepEqual(
        [seen.text, seen.from, seen.fromMe],
        ['from the companion', alice!.account.jid, phone === alice],
      );
    }
    const [answer] = await carol!.writer.write(group, { kind: 'text', text: 'third' }, once);
    await eventually('it at the companion', () => companion.messages.find(({ key }) => key.id === answer));
    await carol!.writer.edit(answer!, 'fourth');
    await eventually('the edit', () => bob!.view.find(answer!)?.text === 'fourth');
    assert.equal(sandbox.phones.counters().decryptFailures, 0);
  } finally {
    await companion.end();
    await sandbox.close();
  }
});

test('a member that lost its sender keys gets the message again', async () => {
  const sandbox = await startSandbox();
  try {
    const [alice, bob] = ['1', '2'].map((n) => sandbox.phones.create(`49151000000${n}`, `Phone ${n}`));
    const group = await alice!.createGroup('Two', [bob!.account]);
    await alice!.writer.write(group, { kind: 'text', text: 'one' }, once);
    await eventually('the first', () => bob!.view.lastSeq === 1);
    await bob!.reinstall();
    const [id] = await alice!.writer.write(group, { kind: 'text', text: 'two' }, once);
    assert.equal((await eventually('the second', () => bob!.view.find(id!))).text, 'two');
    const [next] = await alice!.writer.write(group, { kind: 'text', text: 'three' }, once);
    assert.equal((await eventually('the third', () => bob!.view.find(next!))).text, 'three');
    assert.equal(bob!.counters.decryptFailures, 1);
  } finally {
    await sandbox.close();
  }
});
