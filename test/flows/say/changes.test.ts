/** Edits, deletions, reactions, pins and forwards: on the phone, for stock Baileys, in the log and in the events. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { shiftedClock } from '../../support/clock.ts';
import { eventually } from '../../support/wait.ts';
import { eventsOf } from '../steps.ts';
import { bob, cyd, type Rig, type Shown, startRig, type Told } from './rig.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const minuteMs = 60_000;

describe('what a device can do to a message', () => {
  let rig: Rig;
  const clock = shiftedClock();
  before(async () => {
    rig = await startRig({}, undefined, clock);
  });
  after(() => rig[Symbol.asyncDispose]());
  const place = (chat: 'a person' | 'a group') => ({ to: chat === 'a group' ? rig.group : rig.jids.bob });
  const done = async (method: string, path: string, body?: unknown, key?: string) => {
    const answer = await rig.call(method, path, body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };

  for (const chat of ['a person', 'a group'] as const) {
    it(`an edit of a text and of a caption, in the chat with ${chat}`, async () => {
      const to = place(chat);
      const id = await rig.send('text', { ...to, message: `firts @${cyd}`, mentions: [cyd] });
      const image = await rig.send('media', { ...to, mediaBase64: png, mediaCaption: 'a cta' });
      await rig.shown(bob, image);
      const { message } = await done('PUT', `/${id}`, { message: `first @${cyd}` });
      assert.partialDeepStrictEqual(message, { id, text: `first @${cyd}`, mentions: [{ number: cyd }] });
      assert.notEqual(message.editedAt, null);
      const { lid } = await rig.installation.phones.get(cyd);
      const onWire = chat === 'a group' ? `first @${lid.split('@')[0]}` : `first @${cyd}`;
      await rig.until(bob, id, ({ text, edited }) => text === onWire && edited === true);
      await done('PUT', `/${image}`, { message: 'a cat' });
      const shown = await rig.until(bob, image, ({ edited }) => edited === true);
      assert.partialDeepStrictEqual(shown, { type: 'image', image: { caption: 'a cat', width: 1 } });
      assert.equal((await rig.logged(image)).text, 'a cat');
      const { update } = await rig.told('message.updated', (data) => data.messageId === id && 'text' in data.update);
      assert.equal(update.text, `first @${cyd}`);
      await eventually('stock Baileys tells it', () => rig.edits.get(id) === onWire);
      // The edit itself is no message.
      const { messages } = (await rig.call('GET', '?limit=2')).body;
      assert.deepEqual(messages.map((each: { id: string }) => each.id).sort(), [id, image].sort());
      for (const [quotedMessageId, text] of [
        [id, `first @${cyd}`],
        [image, 'a cat'],
      ] as const) {
        const reply = await rig.shown(bob, await rig.send('text', { ...to, message: 'so', quotedMessageId }));
        assert.partialDeepStrictEqual(reply, { quoted: { id: quotedMessageId, text } });
      }
    });

    it(`a deletion for everyone, in the chat with ${chat}`, async () => {
      const id = await rig.send('text', { ...place(chat), message: 'oops' });
      await rig.shown(bob, id);
      await done('DELETE', `/${id}`);
      await rig.until(bob, id, ({ revoked }) => revoked === true);
      assert.notEqual((await rig.logged(id)).deletedAt, null);
      const { by } = await rig.told('message.deleted', ({ messageId }) => messageId === id);
      assert.equal(by.jid, rig.jids.ada);
      assert.deepEqual(await rig.refusal('DELETE', `/${id}`), [400, 'The message was deleted']);
      assert.deepEqual(await rig.refusal('PUT', `/${id}`, { message: 'x' }), [400, 'The message was deleted']);
    });

    it(`a reaction, which replaces the one before and is taken back, in the chat with ${chat}`, async () => {
      const to = chat === 'a group' ? rig.group : rig.jids.ada;
      for (const id of [
        await rig.fromBob(to, { text: 'react to it' }),
        await rig.send('text', { ...place(chat), message: 'mine' }),
      ]) {
        await rig.shown(bob, id);
        for (const reaction of ['👍', '👩‍👩‍👧', '❤️', null]) {
          await done('PUT', `/${id}/reaction`, { reaction });
          const reactions = reaction === null ? [] : [{ from: rig.jids.ada, emoji: reaction }];
          await rig.until(bob, id, (shown) => JSON.stringify(shown['reactions']) === JSON.stringify(reactions));
          await rig.told(
            'message.updated',
            ({ messageId, update }) =>
              messageId === id && update.reaction === reaction && update.from?.jid === rig.jids.ada,
          );
        }
        await eventually('stock Baileys tells them', () => rig.reactions.get(id)?.length === 4);
        assert.deepEqual(rig.reactions.get(id), ['👍', '👩‍👩‍👧', '❤️', '']);
      }
    });

    it(`a pin and its end, in the chat with ${chat}`, async () => {
      const id = await rig.send('text', { ...place(chat), message: 'important' });
      await rig.shown(bob, id);
      await done('PUT', `/${id}/pin`, { pinned: true, seconds: 86_400 });
      const { pinned } = await rig.until(bob, id, (shown) => Boolean(shown['pinned']));
      assert.deepEqual(pinned, { from: rig.jids.ada, seconds: 86_400 });
      await done('PUT', `/${id}/pin`, { pinned: false });
      await rig.until(bob, id, (shown) => shown['pinned'] === null);
    });

    it(`a forward of every kind, to ${chat}`, async () => {
      const received = await rig.fromBob(rig.jids.ada, { text: 'pass it on', forwarded: 3 });
      const image = await rig.fromBob(rig.jids.ada, { imageBase64: png, caption: 'look' });
      const location = await rig.send('location', { toNumber: bob, latitude: 1, longitude: 2, name: 'Here' });
      const quote = { message: 'x', quotedMessageId: received };
      const answer = await rig.send('text', { toNumber: bob, ...quote });
      await done('PUT', `/${answer}`, { message: 'y' });
      const cases = [
        [received, { type: 'text', text: 'pass it on', forwarded: { times: 4 } }],
        [image, { type: 'image', forwarded: { times: 1 }, image: { caption: 'look', width: 1 } }],
        [location, { type: 'location', location: { latitude: 1, name: 'Here' }, forwarded: { times: 1 } }],
        [answer, { text: 'y', forwarded: { times: 1 }, quotedId: null }],
      ] as const;
      for (const [id, shown] of cases) {
        const { messageId } = await done('POST', `/${id}/forward`, place(chat));
        assert.partialDeepStrictEqual(await rig.shown(bob, messageId), shown);
        // The copy names the file that is there.
        const [copy, file] = [await rig.content(messageId), id === image ? await rig.content(image) : null];
        assert.equal(copy.imageMessage?.directPath, file?.imageMessage?.directPath);
        assert.partialDeepStrictEqual(await rig.logged(messageId), { forwarded: shown.forwarded, direction: 'out' });
      }
    });
  }

  it('an administrator deletes what others wrote, and nobody else does', async () => {
    const own = await rig.installation.phones.request<{ jid: string }>('POST', '/groups', {
      subject: 'Hers',
      owner: (await rig.installation.phones.get('4915550001111')).number,
      participants: [bob],
    });
    const theirs = await rig.fromBob(own.jid, { text: 'rude' });
    await done('DELETE', `/${theirs}`);
    assert.notEqual((await rig.logged(theirs)).deletedAt, null);
    const { by } = await rig.told('message.deleted', ({ messageId }) => messageId === theirs);
    assert.equal(by.jid, rig.jids.ada);
  });

  it('a star, and a deletion on this account alone: the phone follows, and nobody else learns of it', async () => {
    const ada = '4915550001111';
    for (const to of [rig.jids.ada, rig.group]) {
      const id = await rig.fromBob(to, { text: 'good to know' });
      const held = await rig.count();
      for (const starred of [true, false]) {
        const { message } = await done('PUT', `/${id}/star`, { starred });
        assert.equal(message.starred, starred);
        assert.equal((await rig.logged(id)).starred, starred);
        await rig.until(ada, id, (shown) => shown['starred'] === starred);
      }
      await done('DELETE', `/${id}?forMe=true`);
      assert.notEqual((await rig.logged(id)).deletedAt, null);
      await rig.until(ada, id, (shown) => shown['deletedForMe'] === true);
      assert.equal((await rig.shown(bob, id))['text'], 'good to know');
      assert.deepEqual(await rig.refusal('PUT', `/${id}/star`, { starred: true }), [400, 'The message was deleted']);
      assert.deepEqual(await rig.count(), held);
    }
    assert.deepEqual(await rig.refusal('DELETE', '/NONE?forMe=true'), [404, 'Message not found']);
    assert.deepEqual(await rig.refusal('DELETE', '/NONE?forMe=1'), [400, 'forMe must be true or false']);
    assert.deepEqual(await rig.refusal('PUT', '/NONE/star', { starred: true }), [404, 'Message not found']);
    assert.deepEqual(await rig.refusal('PUT', '/NONE/star', { starred: 'yes' }), [
      400,
      'starred must be true or false',
    ]);
  });

  it('refuses in words what is not its own, too old, or nothing to react with; nothing leaves', async () => {
    const theirs = await rig.fromBob(rig.jids.ada, { text: 'his' });
    const inGroup = await rig.fromBob(rig.group, { text: 'his, in the group' });
    const own = await rig.send('text', { toNumber: bob, message: 'own' });
    const poll = await rig.send('poll', { toNumber: bob, question: 'q', options: ['a', 'b'] });
    const secret = await rig.fromBob(rig.jids.ada, { imageBase64: png, viewOnce: true });
    await rig.shown(bob, poll);
    const held = await rig.count();
    const emoji = [400, 'reaction must be one emoji, or null'];
    const refusals: readonly (readonly [string, string, unknown, readonly unknown[]])[] = [
      [
        'PUT',
        `/${theirs}`,
        { message: 'mine' },
        [400, 'The message is of somebody else; only own messages can be edited'],
      ],
      ['PUT', `/${poll}`, { message: 'x' }, [400, 'Only texts and captions can be edited']],
      ['PUT', `/${own}`, { message: '' }, [400, 'message must be a string of 1 to 65,536 characters']],
      ['PUT', '/NONE', { message: 'x' }, [404, 'Message not found']],
      [
        'DELETE',
        `/${theirs}`,
        undefined,
        [400, 'The message is of somebody else; only own messages can be deleted for everyone'],
      ],
      [
        'DELETE',
        `/${inGroup}`,
        undefined,
        [400, 'The message is of somebody else, and the account is not an administrator of this group'],
      ],
      ['DELETE', '/NONE', undefined, [404, 'Message not found']],
      ['PUT', `/${own}/reaction`, { reaction: '👍👍' }, emoji],
      ['PUT', `/${own}/reaction`, { reaction: 'ok' }, emoji],
      ['PUT', `/${own}/reaction`, { reaction: '7' }, emoji],
      ['PUT', `/${own}/reaction`, { reaction: '' }, emoji],
      ['PUT', `/${own}/reaction`, {}, [400, 'reaction is required']],
      ['PUT', `/NONE/reaction`, { reaction: '👍' }, [404, 'Message not found']],
      ['PUT', `/${own}/pin`, { pinned: true, seconds: 5 }, [400, 'seconds must be 86400, 604800 or 2592000']],
      ['POST', `/${poll}/forward`, { toNumber: bob }, [400, 'Messages of type poll cannot be forwarded']],
      ['POST', `/${secret}/forward`, { toNumber: bob }, [400, 'View-once messages cannot be forwarded']],
      ['POST', '/NONE/forward', { toNumber: bob }, [404, 'Message not found']],
    ];
    for (const [method, path, body, expected] of refusals) {
      assert.deepEqual(await rig.refusal(method, path, body), expected, `${method} ${path}`);
    }
    const [, old] = await rig.refusal('PUT', `/${own}?chat=${rig.jids.cyd}`, { message: 'x' });
    assert.equal(old, 'Message not found');
    clock.ahead(16 * minuteMs);
    const edit = 'The message is older than 15 minutes and can no longer be edited';
    assert.deepEqual(await rig.refusal('PUT', `/${own}`, { message: 'x' }), [400, edit]);
    clock.ahead(60 * 60 * minuteMs);
    const deletion = 'The message is older than 60 hours and can no longer be deleted for everyone';
    assert.deepEqual(await rig.refusal('DELETE', `/${own}`), [400, deletion]);
    clock.ahead(-(16 + 60 * 60) * minuteMs);
    assert.deepEqual(await rig.count(), held);
  });

  it('an edit, a reaction and a deletion whose ack is lost with the connection are sent again, once each', async () => {
    const { phones } = rig.installation;
    const id = await rig.send('text', { toNumber: bob, message: 'one' });
    await rig.shown(bob, id);
    const changes: readonly (readonly [string, string, object | undefined, (shown: Shown) => boolean])[] = [
      ['PUT', `/${id}`, { message: 'two' }, ({ text }) => text === 'two'],
      ['PUT', `/${id}/reaction`, { reaction: '👍' }, (shown) => JSON.stringify(shown['reactions']).includes('👍')],
      ['DELETE', `/${id}`, undefined, ({ revoked }) => revoked === true],
    ];
    for (const [method, path, body, holds] of changes) {
      await phones.request('PUT', '/faults', { withholdAcks: true });
      const answer = rig.call(method, path, body, `lost ${method} ${path}`);
      await rig.until(bob, id, holds);
      await phones.request('DELETE', '/faults');
      await phones.request('POST', '/drop', { number: '4915550001111' });
      assert.equal((await answer).status, 200);
      assert.equal((await rig.call(method, path, body, `lost ${method} ${path}`)).status, 200);
    }
    const kinds: string[] = [];
    for (const { type, data } of await eventsOf(rig.installation, rig.id)) {
      const { messageId, update = {} } = data as Told;
      if (messageId === id) kinds.push(type === 'message.deleted' ? type : String(Object.keys(update)[0]));
    }
    for (const kind of ['text', 'reaction', 'message.deleted']) {
      assert.equal(kinds.filter((each) => each === kind).length, 1, `${kind} in ${kinds.join()}`);
    }
  });

  it('an idempotency key makes one edit', async () => {
    const id = await rig.send('text', { toNumber: bob, message: 'one' });
    await done('PUT', `/${id}`, { message: 'two' }, 'edit-1');
    await done('PUT', `/${id}`, { message: 'three' });
    assert.equal((await done('PUT', `/${id}`, { message: 'two' }, 'edit-1')).message.text, 'three');
    await rig.until(bob, id, ({ text }) => text === 'three');
  });
});
