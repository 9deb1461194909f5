/** Media to be opened once: as phones and stock Baileys get it, what is kept of it, and what is refused. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Stores } from '../../../src/domain/stores.ts';
import { eventually } from '../../support/wait.ts';
import { bob, type Rig, startRig } from './rig.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const sample = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../support/media', name)).toString('base64');

const kinds = [
  ['media', { mediaBase64: png, mediaCaption: 'look' }, 'imageMessage'],
  ['video', { mediaBase64: sample('video.mp4') }, 'videoMessage'],
  ['audio', { mediaBase64: sample('voice.ogg'), voice: true }, 'audioMessage'],
] as const;

describe('media to be opened once', () => {
  let rig: Rig;
  let stores: Stores;
  before(async () => {
    rig = await startRig({}, undefined, undefined, { watchStores: (opened) => (stores = opened) });
  });
  after(() => rig[Symbol.asyncDispose]());

  for (const [kind, body, field] of kinds) {
    for (const chat of ['a person', 'a group'] as const) {
      it(`${kind} to ${chat}: marked for phones and stock clients, and nothing of the file is kept`, async () => {
        const to = chat === 'a group' ? rig.group : rig.jids.bob;
        const id = await rig.send(kind, { to, ...body, viewOnce: true });
        assert.partialDeepStrictEqual(await rig.shown(bob, id), { viewOnce: true, error: null });
        const { message } = await rig.companion.received(id);
        assert.equal(message?.[field]?.viewOnce, true);
        const file = await rig.companion.download(await rig.companion.received(id));
        assert.ok(file.length > 0);
        assert.partialDeepStrictEqual(await rig.logged(id), { viewOnce: true, direction: 'out' });
        const told = await rig.told('message.sent', (data) => data.message.id === id);
        assert.equal(told.message.viewOnce, true);
        const record = await stores.messages.find(rig.id, id);
        assert.deepEqual([record?.content, record?.secret?.length], [null, 32]);
        assert.deepEqual(await rig.refusal('GET', `/${id}/media`), [
          404,
          'The media of a view-once message is not served',
        ]);
      });
    }
  }

  it('a message that is not to be opened once keeps its content', async () => {
    const id = await rig.send('media', { toNumber: bob, mediaBase64: png, viewOnce: false });
    assert.equal((await rig.shown(bob, id))['viewOnce'], undefined);
    assert.ok(((await stores.messages.find(rig.id, id))?.content?.length ?? 0) > 0);
  });

  it('its reactions are read without its content', async () => {
    const id = await rig.send('media', { toNumber: bob, mediaBase64: png, viewOnce: true });
    await rig.shown(bob, id);
    const { phones } = rig.installation;
    await phones.request('POST', `/phones/${bob}/messages/${id}/react`, { emoji: '👍' });
    await rig.told('message.updated', (data) => data.messageId === id && data.update.reaction === '👍');
  });

  it('cannot be forwarded, edited, or quoted in a group; a reply to a person repeats its caption alone', async () => {
    const body = { mediaBase64: png, mediaCaption: 'look', viewOnce: true };
    const inGroup = await rig.send('media', { to: rig.group, ...body });
    const id = await rig.send('media', { toNumber: bob, ...body });
    const theirs = await rig.fromBob(rig.group, { imageBase64: png, viewOnce: true });
    for (const quotedMessageId of [inGroup, theirs]) {
      const reply = { to: rig.group, message: 'seen', quotedMessageId };
      assert.deepEqual(await rig.refusal('POST', '/text', reply), [
        400,
        'A view-once message cannot be quoted in a group',
      ]);
    }
    const reply = await rig.send('text', { toNumber: bob, message: 'as I said', quotedMessageId: id });
    const { extendedTextMessage } = await rig.content(reply);
    assert.deepEqual(JSON.parse(JSON.stringify(extendedTextMessage?.contextInfo?.quotedMessage)), {
      conversation: 'look',
    });
    assert.deepEqual(await rig.refusal('POST', `/${id}/forward`, { toNumber: bob }), [
      400,
      'View-once messages cannot be forwarded',
    ]);
    assert.deepEqual(await rig.refusal('PUT', `/${id}`, { message: 'other' }), [
      400,
      'View-once messages cannot be edited',
    ]);
    assert.deepEqual(await rig.refusal('POST', '/media', { toNumber: bob, mediaBase64: png, viewOnce: 'yes' }), [
      400,
      'viewOnce must be true or false',
    ]);
    assert.match((await rig.refusal('POST', '/document', { toNumber: bob, ...body }))[1], /^Unknown field "viewOnce"/);
  });

  it('what the network refuses is not kept either, and a repeat under the same key may send it', async () => {
    const { phones } = rig.installation;
    await phones.request('PUT', '/faults', { rejectSends: 479 });
    const body = { toNumber: bob, mediaBase64: png, mediaCaption: 'again', viewOnce: true };
    assert.equal((await rig.call('POST', '/media', body, 'once-1')).status, 500);
    const failed = await eventually('a failed record', async () =>
      (await stores.messages.list(rig.id, { limit: 10, cursor: null })).items.find(({ text }) => text === 'again'),
    );
    assert.deepEqual([failed.state, failed.content], ['failed', null]);
    await phones.request('DELETE', '/faults');
    const answer = await rig.call('POST', '/media', body, 'once-1');
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.partialDeepStrictEqual(await rig.shown(bob, answer.body.messageId), { viewOnce: true, error: null });
  });

  it('at a time', async () => {
    const sendAt = new Date(Date.now() + 300).toISOString();
    const id = await rig.send('media', { toNumber: bob, mediaBase64: png, viewOnce: true, sendAt });
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { viewOnce: true, error: null });
    assert.equal((await stores.messages.find(rig.id, id))?.content, null);
  });
});
