/** The outbox: order, and what goes together. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OutboundMessage } from '../../../src/whatsapp/send/outbox.ts';
import { eventually } from '../../support/wait.ts';
import { ann, bob, group, messageTo, startOutbox } from './outbox-support.ts';

describe('the outbox', () => {
  it('writes what waits together, and then sends it in order', async () => {
    const { outbox, happened } = startOutbox();
    const first = outbox.post(Promise.resolve(messageTo(ann, 'A')));
    await eventually('the first is being written', () => happened.length > 0);
    const others = ['B', 'C', 'D'].map((id) => outbox.post(Promise.resolve(messageTo(ann, id))));
    await Promise.all([first, ...others]);
    await eventually('all have left', () => happened.length === 6);
    assert.deepEqual(happened, ['written A', 'frame A', 'written B C D', 'frame B', 'frame C', 'frame D']);
  });

  it('sets up a session once more that has ended before it was used', async () => {
    const { outbox, happened, stanzas } = startOutbox({ gone: 1 });
    await Promise.all(['A', 'B'].map((id, n) => outbox.post(Promise.resolve(messageTo(n === 0 ? ann : bob, id)))));
    const begin = `begin ${bob}`;
    assert.deepEqual(happened, [begin, 'written A B', begin, 'written', 'frame A', 'frame B']);
    assert.equal(stanzas.length, 2);
    const never = startOutbox({ gone: 2 });
    await assert.rejects(never.outbox.post(Promise.resolve(messageTo(bob, 'C'))), /no device of the recipient$/);
    assert.equal(never.stanzas.length, 0);
  });

  it('keeps the place of a message that is not ready', async () => {
    const { outbox, happened } = startOutbox();
    const image = Promise.withResolvers<OutboundMessage>();
    const slow = outbox.post(image.promise);
    const quick = outbox.post(Promise.resolve(messageTo(ann, 'quick')));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(happened, []);
    image.resolve(messageTo(ann, 'slow'));
    await Promise.all([slow, quick]);
    await eventually('both have left', () => happened.length === 3);
    assert.deepEqual(happened, ['written slow quick', 'frame slow', 'frame quick']);
  });

  it('goes on behind a message that could not be made', async () => {
    const { outbox, happened } = startOutbox();
    const broken = outbox.post(Promise.reject(new Error('no media host takes it')));
    const behind = outbox.post(Promise.resolve(messageTo(ann, 'behind')));
    await assert.rejects(broken, /no media host/);
    await behind;
    await eventually('it has left', () => happened.includes('frame behind'));
  });

  it('drops what its caller has stopped waiting for, and what was accepted before', async () => {
    const { outbox, happened } = startOutbox();
    const late = outbox.post(Promise.resolve(messageTo(ann, 'late')), Date.now() - 1);
    const before = messageTo(ann, 'before');
    const accepted = outbox.post(Promise.resolve({ ...before, record: { ...before.record, acceptedAt: 1 } }));
    const last = outbox.post(Promise.resolve(messageTo(ann, 'last')), Date.now() + 60_000);
    await assert.rejects(late, { name: 'RequestTimeout', message: 'Request timeout' });
    await Promise.all([accepted, last]);
    assert.deepEqual(happened, ['written last', 'frame last']);
  });

  it('sends to groups in their turn', async () => {
    const { outbox, happened } = startOutbox();
    const posted = [messageTo(ann, 'A'), messageTo(group, 'G', true), messageTo(ann, 'B')];
    await Promise.all(posted.map((message) => outbox.post(Promise.resolve(message))));
    await eventually('all have left', () => happened.length === 6);
    assert.deepEqual(happened, ['written A', 'frame A', 'group G', 'frame G', 'written B', 'frame B']);
  });

  it('encrypts for each device once, and not for the one that sends', async () => {
    const { outbox, encryptedFor } = startOutbox({ devices: (jid) => (jid === ann ? [0, 0] : [0, 3]) });
    await outbox.post(Promise.resolve(messageTo(ann, 'A')));
    assert.deepEqual(encryptedFor, [['4915550000001@s.whatsapp.net', ann]]);
  });

  it('lets one whose sessions cannot be set up take no other along', async () => {
    const { outbox, happened } = startOutbox();
    const first = outbox.post(Promise.resolve(messageTo(ann, 'first')));
    const lost = outbox.post(Promise.resolve(messageTo(bob, 'lost')));
    const last = outbox.post(Promise.resolve(messageTo(ann, 'last')));
    await assert.rejects(lost, /no keys/);
    await Promise.all([first, last]);
    await eventually('the others have left', () => happened.filter((what) => what.startsWith('frame')).length === 2);
    assert.deepEqual(
      happened.filter((what) => what.startsWith('frame')),
      ['frame first', 'frame last'],
    );
  });

  it('sends nothing on a connection that has ended', async () => {
    const { outbox, happened, sock } = startOutbox();
    sock.isOpen = false;
    await assert.rejects(outbox.post(Promise.resolve(messageTo(ann, 'A'))), /connection is closed/);
    assert.deepEqual(happened, []);
  });
});
