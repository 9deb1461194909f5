/** People who hide their number are blocked, named and written to by LID; reactions in the announcement group of a community are sealed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { type Installation, startInstallation } from '../../support/installation.ts';
import type { SandboxPhone } from '../../support/phones.ts';
import { eventually } from '../../support/wait.ts';
import { ada, bob, linkDevice, untilChat, untilEvent, untilShown } from '../steps.ts';

const cyd = '4915550003333';

describe('people of today', () => {
  let installation: Installation;
  let id: number;
  let cydsPhone: SandboxPhone;
  const call = (method: string, path: string, body?: unknown) =>
    installation.api.call(method, `/devices/${id}${path}`, body);
  const done = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const received = (text: string) =>
    untilEvent(
      installation,
      id,
      'message.received',
      ({ message }: { message: { text: string } }) => message.text === text,
    );

  before(async () => {
    installation = await startInstallation();
    await installation.phones.faults({ addressing: 'strict' });
    for (const number of [ada, bob]) await installation.phones.add(number, `Phone ${number}`);
    cydsPhone = await installation.phones.add(cyd, 'Cyd');
    await installation.phones.behave(cyd, { hidesNumber: true });
    id = await linkDevice(installation);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('without a number are named, blocked, unblocked and written to', async () => {
    const { lid } = cydsPhone;
    await installation.phones.write(cyd, { to: ada, text: 'guess who' });
    await received('guess who');
    const { contact } = await done('PUT', `/contacts/${lid}`, { name: 'Mia Mouse', blocked: true });
    assert.partialDeepStrictEqual(contact, { jid: lid, number: null, name: 'Mia Mouse', blocked: true });
    const addressBook = async () =>
      (await installation.phones.request<{ contacts: object[] }>('GET', `/phones/${ada}/contacts`)).contacts;
    await eventually('the phone shows the name', async () =>
      (await addressBook()).some((each) => isDeepStrictEqual(each, { jid: lid, name: 'Mia Mouse' })),
    );
    const shownBefore = (await installation.phones.messages(ada)).length;
    await installation.phones.write(cyd, { to: ada, text: 'I am blocked' });
    const { contact: free } = await done('PUT', `/contacts/${lid}`, { blocked: false });
    assert.equal(free.blocked, false);
    assert.equal((await installation.phones.messages(ada)).length, shownBefore, 'the network passed nothing on');
    await done('POST', '/messages/text', { to: lid, message: 'hello Mia' });
    await untilShown(installation, cyd, 'hello Mia');
    assert.equal((await done('GET', `/chats/${lid}`)).chat.name, 'Mia Mouse');
    const { contact: nameless } = await done('PUT', `/contacts/${lid}`, { name: null });
    assert.equal(nameless.name, null);
    await eventually('the phone has dropped the name', async () => (await addressBook()).length === 0);
  });

  it('see reactions in the announcement group of a community, which are sealed', async () => {
    const { phones } = installation;
    const body = { subject: 'News', owner: bob, participants: [ada, cyd] };
    const { jid: group } = await phones.request<{ jid: string }>('POST', '/groups', body);
    // A notification that came behind the list would tell again how the group was before.
    await untilChat(installation, id, group);
    await phones.request('PATCH', `/groups/${group}`, { community: 'Club', announcements: true });
    await call('GET', '/groups');
    const [messageId] = await phones.write(bob, { to: group, text: 'the news' });
    await received('the news');
    await done('PUT', `/messages/${messageId}/reaction`, { reaction: '👍' });
    for (const number of [bob, cyd])
      await eventually(`${number} shows the reaction`, async () => {
        const message = (await phones.messages(number)).find((each) => each.id === messageId);
        return (message as unknown as { reactions: { emoji: string }[] }).reactions[0]?.emoji === '👍';
      });
    const { message } = await done('GET', `/messages/${messageId}`);
    assert.deepEqual(
      message.reactions.map(({ reaction, from }: { reaction: string; from: { number: string } }) => [
        reaction,
        from.number,
      ]),
      [['👍', ada]],
    );
    const [bare] = await phones.write(bob, { to: group, message: { conversation: 'without a secret' } });
    await received('without a secret');
    const refused = await call('PUT', `/messages/${bare}/reaction`, { reaction: '👍' });
    assert.deepEqual(
      [refused.status, refused.body.status.message.startsWith('The secret of the message')],
      [400, true],
    );
    await done('PUT', `/messages/${messageId}/reaction`, { reaction: null });
    assert.deepEqual((await done('GET', `/messages/${messageId}`)).message.reactions, []);
  });

  it('send albums, whose images name the album that they are in', async () => {
    const imageBase64 =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const album = [{ imageBase64, caption: 'one' }, { imageBase64 }];
    const [messageId, ...images] = await installation.phones.write(bob, { to: ada, album });
    assert.equal(images.length, 2);
    for (const image of images) {
      const { data } = await untilEvent(
        installation,
        id,
        'message.received',
        (each: { message: { id: string } }) => each.message.id === image,
      );
      assert.partialDeepStrictEqual(data, { message: { type: 'image', album: { messageId } } });
      assert.deepEqual((await done('GET', `/messages/${image}`)).message.album, { messageId });
    }
    assert.equal((await done('GET', `/messages/${messageId}`)).message.album, null);
  });
});
