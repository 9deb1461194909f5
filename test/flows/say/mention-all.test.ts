/** Messages that mention everybody in a group: as phones and stock Baileys get them, as they are received, and what is refused. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bob, cyd, type Rig, startRig } from './rig.ts';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const only = 'mentionAll must be false: only in groups all can be mentioned';
const hidden = 'mentionAll: @all is not in the text; hidden mentions are refused';

describe('a mention of all', () => {
  let rig: Rig;
  before(async () => (rig = await startRig()));
  after(() => rig[Symbol.asyncDispose]());

  it('in a text and in a caption, beside others', async () => {
    const text = { to: rig.group, message: `(@all) and you, @${cyd}`, mentionAll: true, mentions: [cyd] };
    const id = await rig.send('text', text);
    assert.partialDeepStrictEqual(await rig.shown(bob, id), {
      mentionAll: true,
      mentions: [`${cyd}@s.whatsapp.net`],
    });
    const { extendedTextMessage } = await rig.content(id);
    assert.deepEqual([extendedTextMessage?.contextInfo?.nonJidMentions], [1]);
    assert.partialDeepStrictEqual(await rig.logged(id), { mentionAll: true, mentions: [{ number: cyd }] });
    const caption = await rig.send('media', {
      to: rig.group,
      mediaBase64: png,
      mediaCaption: '@all',
      mentionAll: true,
    });
    assert.partialDeepStrictEqual(await rig.shown(bob, caption), { mentionAll: true });
    assert.equal((await rig.content(caption)).imageMessage?.contextInfo?.nonJidMentions, 1);
  });

  it('is told of what others write, and stays in an edit that shows it', async () => {
    const theirs = await rig.fromBob(rig.group, { text: '@all hello', mentionAll: true });
    assert.equal((await rig.logged(theirs)).mentionAll, true);
    const other = await rig.fromBob(rig.group, { text: '@all hello' });
    assert.equal((await rig.logged(other)).mentionAll, false);
    const id = await rig.send('text', { to: rig.group, message: '@all at noon', mentionAll: true });
    await rig.shown(bob, id);
    await rig.call('PUT', `/${id}`, { message: '@all at one' });
    await rig.until(bob, id, ({ text }) => text === '@all at one');
    assert.equal((await rig.logged(id)).mentionAll, true);
    await rig.call('PUT', `/${id}`, { message: 'at two' });
    await rig.until(bob, id, ({ text }) => text === 'at two');
    assert.equal((await rig.logged(id)).mentionAll, false);
  });

  it('is refused where it is hidden, and in a chat of two; a time changes nothing of that', async () => {
    const held = await rig.count();
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    const refusals: readonly (readonly [string, object, string])[] = [
      ['text', { toNumber: bob, message: '@all' }, only],
      ['text', { to: rig.group, message: 'all' }, hidden],
      ['text', { to: rig.group, message: 'mail@all.example' }, hidden],
      ['text', { to: rig.group, message: '@alligators' }, hidden],
      ['media', { to: rig.group, mediaBase64: png }, hidden],
      ['contact', { to: rig.group, contacts: [{ name: '@all', numbers: [cyd] }] }, hidden],
      ['text', { to: rig.group, message: '@all', mentionAll: 'yes' }, 'mentionAll must be true or false'],
    ];
    for (const [kind, body, words] of refusals) {
      for (const times of [{}, { sendAt }])
        assert.deepEqual(await rig.refusal('POST', `/${kind}`, { mentionAll: true, ...body, ...times }), [400, words]);
    }
    assert.deepEqual(await rig.count(), held);
    const id = await rig.send('text', { to: rig.group, message: '@all later', mentionAll: true, sendAt });
    const change = { message: 'later' };
    assert.deepEqual(await rig.refusal('PUT', `/scheduled/${id}`, change), [400, hidden]);
    assert.equal((await rig.call('DELETE', `/scheduled/${id}`)).status, 200);
  });

  it('in a group of more than 32 members only administrators may', async () => {
    const { phones } = rig.installation;
    const many = Array.from({ length: 31 }, (_, index) => String(4_915_559_000_000 + index));
    await Promise.all(many.map((number) => phones.add(number, number)));
    const members = { subject: 'Many', owner: bob, participants: [rig.jids.ada.split('@')[0]!, ...many] };
    const { jid } = await phones.request<{ jid: string }>('POST', '/groups', members);
    const body = { to: jid, message: '@all', mentionAll: true };
    assert.deepEqual(await rig.refusal('POST', '/text', body), [
      400,
      'mentionAll: in a group of more than 32 members only administrators may mention all',
    ]);
    const own = await rig.installation.api.post(`/devices/${rig.id}/groups`, {
      subject: 'Ours',
      members: [bob, ...many],
    });
    const id = await rig.send('text', { ...body, to: own.body.group.jid });
    assert.partialDeepStrictEqual(await rig.shown(bob, id), { mentionAll: true });
  });
});
