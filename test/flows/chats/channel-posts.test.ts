/** Posts to channels by the operations that send: every kind, what is never answered as posted, and what channels do not know. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { sample } from '../../support/media.ts';
import { ada, addPhones, bob, linkDevice } from '../steps.ts';

interface SandboxPost {
  readonly serverId: number;
  readonly id: string;
  readonly type: string;
  readonly text: string | null;
  readonly media: { readonly mimetype: string; readonly directPath: string } | null;
}

const base64 = (name: string): string => sample(name).toString('base64');

describe('posts to channels', () => {
  let installation: Installation;
  let id: number;
  let mine: string;
  let others: string;
  const call = (path: string, body: object, key?: string) =>
    installation.api.call(
      'POST',
      `/devices/${id}/messages/${path}`,
      body,
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );
  const done = async (path: string, body: object, key?: string) => {
    const { status, body: answer } = await call(path, body, key);
    assert.equal(status, 200, JSON.stringify(answer));
    return answer;
  };
  const refused = async (path: string, body: object) => {
    const { status, body: answer } = await call(path, body);
    return [status, answer.status.message];
  };
  const posts = async (jid: string): Promise<readonly SandboxPost[]> =>
    (await installation.phones.request<{ channel: { posts: SandboxPost[] } }>('GET', `/channels/${jid}`)).channel.posts;
  const make = async (owner: string): Promise<string> =>
    (await installation.phones.request<{ channel: { jid: string } }>('POST', '/channels', { owner, name: 'News' }))
      .channel.jid;

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation);
    [mine, others] = [await make(ada), await make(bob)];
  });
  after(() => installation[Symbol.asyncDispose]());

  it('posts a text, a poll and every kind of file, and says what the network shows', async () => {
    const sent = [
      ['text', { message: 'Fresh bread' }, 'text', 'Fresh bread'],
      ['poll', { question: 'Which bread?', options: ['Rye', 'Wheat'] }, 'poll', 'Which bread?'],
      ['media', { mediaBase64: base64('picture.png'), mediaCaption: 'A loaf' }, 'media', 'A loaf'],
      ['document', { mediaBase64: 'SGVsbG8K', fileName: 'list.txt', mediaCaption: 'The list' }, 'media', 'The list'],
      ['video', { mediaBase64: base64('video.mp4'), mediaCaption: 'The oven' }, 'media', 'The oven'],
      ['video', { mediaBase64: base64('gif.mp4'), gif: true }, 'media', null],
      ['video', { mediaBase64: base64('square.mp4'), note: true }, 'media', null],
      ['audio', { mediaBase64: base64('audio.mp3') }, 'media', null],
      ['audio', { mediaBase64: base64('voice.ogg'), voice: true }, 'media', null],
      ['sticker', { mediaBase64: base64('still.webp') }, 'media', null],
    ] as const;
    for (const [path, body, type, text] of sent) {
      const { status, messageId, serverId, state } = await done(path, { to: mine, ...body });
      assert.deepEqual([status, state], ['success', 'accepted'], path);
      const post = (await posts(mine)).at(-1)!;
      assert.deepEqual([post.id, post.serverId, post.type, post.text], [messageId, serverId, type, text], path);
      if (type === 'media') assert.match(post.media!.directPath, /^\/m1\//, path);
    }
    assert.equal((await posts(mine)).length, sent.length);
    const { messages } = (await installation.api.get(`/devices/${id}/channels/${mine}/messages?limit=20`)).body;
    assert.deepEqual(messages.map(({ type }: { type: string }) => type).toReversed(), [
      'text',
      'poll',
      'image',
      'document',
      'video',
      'video',
      'video',
      'audio',
      'audio',
      'sticker',
    ]);
    assert.equal(messages.at(-3).text, 'A loaf');
    assert.deepEqual((await installation.api.get(`/devices/${id}/chats`)).body.chats, []);
  });

  it('the file lies on the host as it was given, for followers to open', async () => {
    const bytes = Buffer.from('a list of breads');
    const body = { to: mine, mediaBase64: bytes.toString('base64'), fileName: 'list.txt' };
    await done('document', body);
    const { directPath } = (await posts(mine)).at(-1)!.media!;
    // The host takes bytes under their own hash alone.
    assert.ok(directPath.includes(createHash('sha256').update(bytes).digest('base64url')), directPath);
  });

  it('posts an uploaded file, and the same once for a key', async () => {
    const { body } = await installation.api.call('POST', `/devices/${id}/files`, Buffer.from('a list'), {
      headers: { 'content-type': 'text/plain' },
    });
    const given = { to: mine, fileId: body.file.id, fileName: 'list.txt' };
    const [first, again] = [await done('document', given, 'once'), await done('document', given, 'once')];
    assert.deepEqual(again, first);
    assert.equal((await posts(mine)).filter((post) => post.id === first.messageId).length, 1);
    const text = { to: mine, message: 'once' };
    assert.deepEqual(await done('text', text, 'text'), await done('text', text, 'text'));
    assert.equal((await call('text', { to: mine, message: 'twice' }, 'text')).status, 400);
  });

  it('a follower mutes a channel, and its owner changes it and mutes it at once', async () => {
    const put = async (jid: string, body: object) => {
      const { status, body: answer } = await installation.api.put(`/devices/${id}/channels/${jid}`, body);
      return status === 200 ? [answer.channel.name, answer.channel.muted] : [status, answer.status.message];
    };
    assert.deepEqual(await put(others, { muted: true }), [400, 'The account does not follow this channel']);
    await installation.api.put(`/devices/${id}/channels/${others}/following`, undefined);
    assert.deepEqual(await put(others, { muted: true }), ['News', true]);
    assert.equal((await installation.api.get(`/devices/${id}/channels/${others}`)).body.channel.muted, true);
    assert.deepEqual(await put(others, { muted: false }), ['News', false]);
    assert.deepEqual(await put(others, { muted: true, name: 'Mine' }), [
      403,
      'The account is not an administrator of this channel',
    ]);
    assert.deepEqual(await put(mine, { muted: true, name: 'Bakery' }), ['Bakery', true]);
  });

  it('never says that a file is posted which followers could not open', async () => {
    const count = (await posts(mine)).length;
    const image = { to: mine, mediaBase64: base64('picture.png') };
    await installation.phones.faults({ channelUploads: 'elsewhere' });
    const path = 'Failed to send media message: the media host gave it a path that is not of channels';
    assert.deepEqual(await refused('media', image), [500, `${path}; followers would not see it`]);
    await installation.phones.faults({ channelUploads: 'noHandle' });
    const handle = 'Failed to send media message: the media host gave no handle for it';
    assert.deepEqual(await refused('media', image), [500, `${handle}; followers would not see it`]);
    await installation.phones.faults({ mediaStatus: 503 });
    const host = "Failed to send media message: the network's media host answered HTTP 503";
    assert.deepEqual(await refused('media', image), [500, host]);
    await installation.phones.faults({ rejectSends: 479 });
    assert.deepEqual(await refused('media', image), [
      500,
      'Failed to send to the channel: the network found the post malformed (error 479)',
    ]);
    await installation.phones.faults({ channelPosts: 'lost' });
    assert.equal((await done('media', image)).state, 'unconfirmed');
    await installation.phones.faults({});
    assert.equal((await posts(mine)).length, count);
  });

  it('refuses what channels do not know, and channels of others before anything is fetched', async () => {
    const count = (await posts(mine)).length;
    const image = { to: mine, mediaBase64: base64('picture.png') };
    const mention = 'mentions must not be given: a post to a channel mentions nobody';
    assert.deepEqual(await refused('media', { ...image, mediaCaption: `@${bob}`, mentions: [bob] }), [400, mention]);
    assert.deepEqual(await refused('text', { to: mine, message: `@${bob}`, mentions: [bob] }), [400, mention]);
    assert.deepEqual(await refused('text', { to: mine, message: '@all', mentionAll: true }), [
      400,
      'mentionAll must not be given: a post to a channel mentions nobody',
    ]);
    assert.deepEqual(await refused('text', { to: mine, message: 'x', quotedMessageId: 'Q' }), [
      400,
      'quotedMessageId must not be given: a post to a channel quotes nothing',
    ]);
    assert.deepEqual(await refused('media', { ...image, viewOnce: true }), [
      400,
      'viewOnce must not be given: a post to a channel cannot be for one view',
    ]);
    const sendAt = new Date(Date.now() + 3_600_000).toISOString();
    assert.deepEqual(await refused('text', { to: mine, message: 'x', sendAt }), [
      400,
      'sendAt must not be given: posts to channels cannot be sent at a time',
    ]);
    assert.deepEqual(await refused('text', { to: mine, toNumber: bob, message: 'x' }), [
      400,
      'Exactly one of to, toNumber and toUsername must be given, not more',
    ]);
    const kinds =
      'to must not be a channel here: a channel takes texts, images, videos, audio, documents, stickers and polls, and no forwards';
    for (const [path, body] of [
      ['location', { latitude: 1, longitude: 2 }],
      ['contact', { contacts: [{ name: 'Bob', numbers: [bob] }] }],
      ['album', { items: [{ mediaUrl: 'https://example.com/a' }, { mediaUrl: 'https://example.com/b' }] }],
      ['ANY/forward', {}],
    ] as const)
      assert.deepEqual(await refused(path, { to: mine, ...body }), [400, kinds], path);
    const noAdministrator = [403, 'The account is not an administrator of this channel'];
    assert.deepEqual(await refused('text', { to: others, message: 'mine now' }), noAdministrator);
    for (const source of [{ mediaBase64: base64('picture.png') }, { mediaUrl: 'https://nowhere.invalid/a.png' }])
      assert.deepEqual(await refused('media', { to: others, ...source }), noAdministrator);
    assert.deepEqual(await refused('text', { to: '120363999999999999@newsletter', message: 'x' }), [
      404,
      'Channel not found',
    ]);
    assert.equal((await call('text', { to: '12@newsletter', message: 'x' })).status, 400);
    assert.deepEqual([(await posts(mine)).length, (await posts(others)).length], [count, 0]);
  });
});
