/** Statuses through the interface: posted to contacts, read, viewed and deleted, and every wrong audience (docs/spec/statuses.md). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sample } from '../../support/media.ts';
import { eventually } from '../../support/wait.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { ada, bob, linkDevice } from '../steps.ts';

const cyd = '4915550003333';
const stranger = '4915550004444';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

interface PhoneStatus {
  readonly id: string;
  readonly type: string;
  readonly text: string | null;
  readonly revoked: boolean;
  readonly image: { readonly caption: string | null } | null;
  readonly media: { readonly voice?: boolean; readonly caption: string | null } | null;
}

describe('statuses', () => {
  let installation: Installation;
  let id: number;
  const call = (method: string, path: string, body?: unknown, key?: string) =>
    installation.api.call(
      method,
      `/devices/${id}${path}`,
      body,
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );
  const done = async (method: string, path: string, body?: unknown, key?: string) => {
    const answer = await call(method, path, body, key);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const refused = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    return [answer.status, answer.body.status.message];
  };
  const mediaOf = async (statusId: string): Promise<Buffer> => {
    const response = await installation.api.fetch(`/devices/${id}/status/${statusId}/media`);
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  };
  const on = async (number: string): Promise<readonly PhoneStatus[]> =>
    (await installation.phones.request<{ statuses: PhoneStatus[] }>('GET', `/phones/${number}/status`)).statuses;
  const seen = (number: string, statusId: string) =>
    eventually(`a status on ${number}`, async () => (await on(number)).find((status) => status.id === statusId));

  before(async () => {
    installation = await startInstallation();
    for (const [number, name] of [
      [ada, 'Ada'],
      [bob, 'Bob'],
      [cyd, 'Cyd'],
      [stranger, 'Dan'],
    ] as const)
      await installation.phones.add(number, name);
    id = await linkDevice(installation);
    for (const [number, name] of [
      [bob, 'Bob'],
      [cyd, 'Cyd'],
    ] as const)
      await done('PUT', `/contacts/${number}`, { name });
    // Who has only written is nobody's contact.
    await installation.phones.write(stranger, { to: ada, text: 'hello' });
    await eventually('the stranger has written', async () => (await done('GET', '/chats')).chats.length === 1);
  });
  after(() => installation[Symbol.asyncDispose]());

  it('posts a text to the contacts alone, once for a key, and to whom the owner has chosen by default', async () => {
    const body = { text: 'Open until ten', background: '#1F7AEC', font: 2, audience: 'contacts' };
    const { statusId, recipients } = await done('POST', '/status', body, 'once');
    assert.equal(recipients, 2);
    for (const number of [bob, cyd, ada]) assert.equal((await seen(number, statusId)).text, 'Open until ten');
    assert.deepEqual(await on(stranger), []);
    assert.equal((await done('POST', '/status', body, 'once')).statusId, statusId);
    assert.equal((await call('POST', '/status', { ...body, text: 'Other' }, 'once')).status, 400);
    await installation.phones.request('PUT', `/phones/${ada}/status-privacy`, { type: 'blacklist', people: [cyd] });
    await eventually(
      'the choice has come',
      async () => (await done('POST', '/status', { text: 'x' })).recipients === 1,
    );
    await installation.phones.request('PUT', `/phones/${ada}/status-privacy`, { type: 'contacts' });
    const some = await done('POST', '/status', { text: 'For Bob', audience: { except: [cyd, stranger] } });
    assert.equal(some.recipients, 1);
    const { statuses } = await done('GET', '/status?own=true&limit=1');
    const [{ own, text, recipients: count, type, background }] = statuses;
    assert.deepEqual([own, text, count, type, background], [true, 'For Bob', 1, 'text', null]);
  });

  it('posts an image, a video and a voice message', async () => {
    const image = await done('POST', '/status', { type: 'image', mediaBase64: pixel, mediaCaption: 'A pixel' });
    assert.equal((await seen(bob, image.statusId)).image?.caption, 'A pixel');
    const inBase64 = (name: string) => sample(name).toString('base64');
    const video = await done('POST', '/status', { type: 'video', mediaBase64: inBase64('gif.mp4') });
    assert.equal((await seen(bob, video.statusId)).type, 'video');
    const voice = await done('POST', '/status', { type: 'voice', mediaBase64: inBase64('voice.ogg') });
    assert.equal((await seen(bob, voice.statusId)).media?.voice, true);
    assert.ok((await mediaOf(image.statusId)).length > 0);
  });

  it('refuses nobody, groups, itself, strangers, and what does not go together', async () => {
    const group = '120363025246125486@g.us';
    const only = (people: readonly string[]) => refused('POST', '/status', { text: 'x', audience: { only: people } });
    const contact = 'is nobody in the address book of the account: statuses are for its contacts';
    assert.deepEqual(await only([stranger]), [400, `audience.only[0] ${contact}`]);
    assert.deepEqual(await only([bob, '4915559999999']), [400, `audience.only[1] ${contact}`]);
    const [status, words] = await only([group]);
    assert.deepEqual([status, String(words).startsWith('audience.only[0] must be')], [400, true]);
    assert.deepEqual(await only([ada]), [
      400,
      'audience.only[0] is the account itself, which sees its statuses anyway',
    ]);
    assert.deepEqual(await refused('POST', '/status', { text: 'x', audience: { except: [bob, cyd] } }), [
      400,
      'The status would be seen by nobody: its audience is empty',
    ]);
    const rule = 'must be "contacts", or an object with one of only and except: 1 to 1,000 phone numbers or JIDs';
    for (const audience of [{ only: [] }, 'everybody', 7, { nobody: [bob] }])
      assert.deepEqual(await refused('POST', '/status', { text: 'x', audience }), [400, `audience ${rule}`]);
    for (const audience of [{}, { only: [bob], except: [cyd] }])
      assert.deepEqual(await refused('POST', '/status', { text: 'x', audience }), [
        400,
        'audience must have exactly one of only and except',
      ]);
    for (const [body, why] of [
      [{}, 'text must be given, or a type of file'],
      [{ text: 'x', mediaUrl: 'https://example.com/a.png' }, 'mediaUrl does not go with a status of type text'],
      [{ type: 'image', text: 'x', mediaBase64: pixel }, 'text does not go with a status of type image'],
      [
        { type: 'voice', mediaBase64: pixel, mediaCaption: 'x' },
        'mediaCaption does not go with a status of type voice',
      ],
      [{ text: 'x', background: 'red' }, 'background must be a colour like #1f7aec'],
    ] as const)
      assert.deepEqual(await refused('POST', '/status', body), [400, why]);
    assert.deepEqual(await refused('DELETE', '/status/UNKNOWN'), [404, 'Status not found']);
  });

  it('reads those of contacts where the setting says so, and views and likes them on demand alone', async () => {
    assert.equal((await done('GET', '/settings')).settings.statuses, 'none');
    await done('PUT', '/settings', { statuses: 'received' });
    const { messageId } = await installation.phones.request<{ messageId: string }>('POST', `/phones/${bob}/status`, {
      type: 'image',
      imageBase64: pixel,
      caption: 'My pixel',
    });
    const { events } = await eventually('it is told', async () => {
      const body = await done('GET', '/events?types=status.received');
      return body.events.length === 1 && body;
    });
    const { status } = events[0].data;
    assert.deepEqual([status.id, status.fromNumber, status.text, status.type], [messageId, bob, 'My pixel', 'image']);
    assert.ok(status.media.url.endsWith(`/devices/${id}/status/${messageId}/media`));
    assert.deepEqual(await mediaOf(messageId), Buffer.from(pixel, 'base64'));
    const ofAda = async () => {
      const viewers = (await on(bob)).find((each) => each.id === messageId)! as unknown as {
        viewers: { from: string; state: string }[];
        likes: { emoji: string }[];
      };
      return [viewers.viewers.find(({ from }) => from.startsWith(ada))?.state, viewers.likes[0]?.emoji];
    };
    await eventually('it is delivered', async () => (await ofAda())[0] === 'delivered');
    await done('POST', `/status/${messageId}/view`);
    await eventually('it is viewed', async () => (await ofAda())[0] === 'read');
    await done('PUT', `/status/${messageId}/reaction`, { reaction: '💚' });
    await eventually('it is liked', async () => (await ofAda())[1] === '💚');
    assert.equal((await call('PUT', `/status/${messageId}/reaction`, { reaction: 'nice' })).status, 400);
    assert.deepEqual(await refused('DELETE', `/status/${messageId}`), [400, 'The status is of somebody else']);
    assert.equal((await call('GET', `/status/${messageId}/viewers`)).status, 400);
    await done('PUT', '/settings', { readReceipts: false });
    assert.equal((await call('POST', `/status/${messageId}/view`)).status, 400);
    await done('PUT', '/settings', { readReceipts: true });
    const { chats } = await done('GET', '/chats');
    assert.ok(!chats.some(({ chat }: { chat: string }) => chat.includes('broadcast')), 'no chat is made of it');
    assert.equal((await done('GET', '/events?types=message.received')).events.length, 1);
  });

  it('says who saw a status, and deletes it for everybody', async () => {
    const { statusId } = await done('POST', '/status', { text: 'Until soon', audience: 'contacts' });
    await seen(bob, statusId);
    await installation.phones.request('POST', `/phones/${bob}/status/${statusId}/view`, {});
    const viewers = await eventually('it is seen', async () => {
      const body = await done('GET', `/status/${statusId}/viewers`);
      return body.viewers.some(({ viewedAt }: { viewedAt: string | null }) => viewedAt !== null) && body.viewers;
    });
    assert.equal(viewers.find(({ viewedAt }: { viewedAt: string | null }) => viewedAt !== null).person.number, bob);
    assert.equal((await call('POST', `/status/${statusId}/view`)).status, 400);
    for (let twice = 0; twice < 2; twice += 1) await done('DELETE', `/status/${statusId}`);
    for (const number of [bob, cyd])
      await eventually('it is deleted', async () =>
        (await on(number)).some((each) => each.id === statusId && each.revoked),
      );
    const own = await installation.phones.request<{ messageId: string }>('POST', `/phones/${ada}/status`, {
      text: 'By phone',
    });
    await eventually(
      'that of the phone is known',
      async () => (await call('GET', `/status/${own.messageId}/viewers`)).status === 200,
    );
    assert.deepEqual(await refused('DELETE', `/status/${own.messageId}`), [
      400,
      'The status was posted on the phone: delete it there',
    ]);
  });
});
