/** Channels through the interface: read, followed, made, posted to and changed, and every wrong request (docs/spec/channels.md). */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../../src/config.ts';
import { eventually } from '../../support/wait.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { ada, addPhones, bob, linkDevice } from '../steps.ts';

interface SandboxPost {
  readonly serverId: number;
  readonly id: string;
  readonly text: string | null;
  readonly timestamp: string;
  readonly edited: boolean;
  readonly deleted: boolean;
  readonly views: number;
  readonly reactions: readonly { readonly from: string; readonly emoji: string }[];
}

interface SandboxChannel {
  readonly jid: string;
  readonly invite: string;
  readonly followers: readonly string[];
  readonly posts: readonly SandboxPost[];
}

describe('channels', () => {
  let installation: Installation;
  let id: number;
  /** Bob's. */
  let news: SandboxChannel;
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
  const sandbox = async (method: string, path: string, body?: unknown): Promise<SandboxChannel> =>
    (await installation.phones.request<{ channel: SandboxChannel }>(method, path, body)).channel;
  const shown = (jid: string): Promise<SandboxChannel> => sandbox('GET', `/channels/${jid}`);
  const write = (jid: string, text: string, count?: number): Promise<unknown> =>
    installation.phones.request('POST', `/channels/${jid}/posts`, { text, ...(count !== undefined && { count }) });
  const told = async (type: string): Promise<readonly { readonly channel: string }[]> =>
    (await done('GET', `/events?types=${type}&limit=1000`)).events.map(({ data }: { data: unknown }) => data);

  before(async () => {
    installation = await startInstallation();
    await addPhones(installation);
    id = await linkDevice(installation);
    news = await sandbox('POST', '/channels', { owner: bob, name: 'News', description: 'of the town' });
    await write(news.jid, 'first');
  });
  after(() => installation[Symbol.asyncDispose]());

  it('reads a channel by its JID, its link and its code, follows and leaves it', async () => {
    const { channel } = await done('GET', `/channels/${news.jid}`);
    const { createdAt, ...rest } = channel;
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 60_000);
    assert.deepEqual(rest, {
      jid: news.jid,
      name: 'News',
      description: 'of the town',
      link: `https://whatsapp.com/channel/${news.invite}`,
      role: 'guest',
      state: 'active',
      followers: 0,
      verified: false,
      reactions: 'all',
      muted: false,
    });
    const link = encodeURIComponent(`https://whatsapp.com/channel/${news.invite}`);
    for (const name of [news.invite, link])
      assert.equal((await done('GET', `/channels/${name}`)).channel.jid, news.jid);
    assert.equal((await done('PUT', `/channels/${link}/following`)).channel.role, 'follower');
    await done('PUT', `/channels/${news.jid}/following`);
    assert.deepEqual((await shown(news.jid)).followers, [ada]);
    const { channels, nextCursor } = await done('GET', '/channels');
    assert.deepEqual([channels.map(({ jid }: SandboxChannel) => jid), nextCursor], [[news.jid], null]);
    await done('DELETE', `/channels/${news.jid}/following`);
    await done('DELETE', `/channels/${news.jid}/following`);
    assert.deepEqual((await done('GET', '/channels')).channels, []);
  });

  it('lists the posts of any channel from the network, by pages, and counts a view only when asked to', async () => {
    await write(news.jid, 'more', 4);
    const path = `/channels/${news.jid}/messages`;
    const page = async (query: string) => (await done('GET', `${path}${query}`)).messages as readonly SandboxPost[];
    const [newest, second] = await page('?limit=2');
    assert.deepEqual([newest!.text, second!.text], ['more 4', 'more 3']);
    const older = await page(`?before=${second!.serverId}`);
    assert.deepEqual(
      older.map(({ text }) => text),
      ['more 2', 'more 1', 'first'],
    );
    assert.deepEqual(await page(`?before=${older.at(-1)!.serverId}`), []);
    assert.deepEqual(
      (await shown(news.jid)).posts.map(({ views }) => views),
      [0, 0, 0, 0, 0],
    );
    await done('POST', `${path}/${newest!.serverId}/view`);
    await eventually('the view counts', async () => (await page('?limit=1'))[0]!.views === 1);
  });

  it('makes a channel once the terms are accepted, posts to it once for a key, changes and deletes it', async () => {
    const terms = 'The account has not accepted the terms for channels; acceptTerms does so';
    assert.deepEqual(await refused('POST', '/channels', { name: 'Bakery' }), [409, terms]);
    assert.deepEqual(await refused('POST', '/channels', { name: 'Bakery', acceptTerms: false }), [409, terms]);
    const wanted = { name: 'Bakery', description: 'Bread', acceptTerms: true };
    const { channel } = await done('POST', '/channels', wanted, 'made');
    assert.deepEqual([channel.role, channel.name, channel.description], ['owner', 'Bakery', 'Bread']);
    assert.equal((await done('POST', '/channels', wanted, 'made')).channel.jid, channel.jid);
    const path = `/channels/${channel.jid}`;
    const posted = await done('POST', `${path}/messages`, { message: 'Fresh bread' }, 'posted');
    assert.equal(posted.state, 'accepted');
    assert.equal(
      (await done('POST', `${path}/messages`, { message: 'Fresh bread' }, 'posted')).serverId,
      posted.serverId,
    );
    const [post, ...others] = (await shown(channel.jid)).posts;
    assert.deepEqual(others, []);
    assert.deepEqual([post!.text, post!.id, post!.serverId], ['Fresh bread', posted.messageId, posted.serverId]);

    await done('PUT', `${path}/messages/${posted.serverId}`, { message: 'Stale bread' });
    await done('PUT', `${path}/messages/${posted.serverId}/reaction`, { reaction: '💚' });
    const [edited] = (await done('GET', `${path}/messages`)).messages;
    assert.deepEqual([edited.text, edited.reactions], ['Stale bread', [{ reaction: '💚', count: 1 }]]);
    await done('PUT', `${path}/messages/${posted.serverId}/reaction`, { reaction: null });
    assert.deepEqual((await shown(channel.jid)).posts[0]!.reactions, []);
    await done('DELETE', `${path}/messages/${posted.serverId}`);
    assert.deepEqual(await refused('DELETE', `${path}/messages/${posted.serverId}`), [404, 'Post not found']);
    const [deleted] = (await done('GET', `${path}/messages`)).messages;
    assert.deepEqual([deleted.text, deleted.deleted], [null, true]);

    const changed = await done('PUT', path, { name: 'Bakery & Co', description: null, reactions: 'none' });
    assert.deepEqual(
      [changed.channel.name, changed.channel.description, changed.channel.reactions],
      ['Bakery & Co', null, 'none'],
    );
    assert.deepEqual(await refused('DELETE', `${path}/following`), [403, 'The owner of a channel follows it for good']);
    await done('DELETE', path);
    assert.deepEqual(await refused('GET', path), [404, 'Channel not found']);
  });

  it('tells nothing by default; then posts, edits, deletions and changes of what it follows, and never as messages', async () => {
    await done('PUT', `/channels/${news.jid}/following`);
    await write(news.jid, 'unheard');
    await done('PUT', '/settings', { channels: 'followed' });
    await write(news.jid, 'heard');
    const [event, ...more] = await eventually('a post', async () => {
      const events = await told('channel.message');
      return events.length > 0 && events;
    });
    assert.deepEqual(more, []);
    const { message, ...rest } = event as unknown as { message: SandboxPost };
    assert.deepEqual(rest, { channel: news.jid, own: false });
    assert.equal(message.text, 'heard');
    const [listed] = (await done('GET', `/channels/${news.jid}/messages?limit=1`)).messages;
    assert.equal(listed.timestamp, message.timestamp, 'the time of the post, not that of the question');
    const post = `/channels/${news.jid}/posts/${message.serverId}`;
    await installation.phones.request('PATCH', post, { text: 'misheard' });
    await installation.phones.request('DELETE', post);
    await sandbox('PATCH', `/channels/${news.jid}`, { name: 'Old news' });
    await eventually('the changes', async () => (await told('channel.updated')).length > 0);
    assert.deepEqual(
      await eventually('both', async () => {
        const events = await told('channel.message.updated');
        return events.length === 2 && events;
      }),
      [{ text: 'misheard' }, { deleted: true }].map((update) => ({
        channel: news.jid,
        serverId: message.serverId,
        update,
      })),
    );
    assert.deepEqual(await told('channel.updated'), [
      { channel: news.jid, change: { name: 'Old news', description: 'of the town' } },
    ]);
    assert.deepEqual(await told('message.received'), []);
    assert.deepEqual((await done('GET', '/chats')).chats, []);
  });

  it('tells of the own channels alone where that is asked for', async () => {
    await done('PUT', '/settings', { channels: 'own' });
    const mine = await sandbox('POST', '/channels', { owner: ada, name: 'Mine' });
    const earlier = (await told('channel.message')).length;
    await write(news.jid, 'of others');
    await write(mine.jid, 'my own');
    const events = await eventually('my own', async () => {
      const all = await told('channel.message');
      return all.length > earlier && all.slice(earlier);
    });
    assert.deepEqual(
      events.map((event) => [event.channel, (event as unknown as { own: boolean }).own]),
      [[mine.jid, true]],
    );
  });

  it('never answers that a post is there which the network refused, or does not show', async () => {
    const { jid } = await sandbox('POST', '/channels', { owner: ada, name: 'Checked' });
    const path = `/channels/${jid}/messages`;
    await installation.phones.faults({ rejectSends: 479 });
    assert.deepEqual(await refused('POST', path, { message: 'refused' }), [
      500,
      'Failed to send to the channel: the network found the post malformed (error 479)',
    ]);
    await installation.phones.faults({ channelPosts: 'lost' });
    const { state, messageId } = await done('POST', path, { message: 'lost' });
    assert.equal(state, 'unconfirmed');
    assert.match(messageId, /^3EB0/);
    await installation.phones.faults({});
    await sandbox('PATCH', `/channels/${jid}`, { state: 'SUSPENDED' });
    assert.deepEqual(await refused('POST', path, { message: 'x' }), [
      403,
      'The channel is suspended: nothing can be posted to it',
    ]);
    assert.deepEqual((await shown(jid)).posts, []);
  });

  it('refuses what is wrong in words', async () => {
    const rule = 'channel must be the JID of a channel (<digits>@newsletter), or its link';
    for (const name of ['x', '4915550001111', '1@newsletter', 'a'.repeat(300), '120363000000000001@g.us'])
      assert.deepEqual(await refused('GET', `/channels/${encodeURIComponent(name)}`), [400, rule]);
    const invite = encodeURIComponent('https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv');
    assert.deepEqual(await refused('PUT', `/channels/${invite}/following`), [400, rule]);
    assert.deepEqual(await refused('GET', '/channels/0029VaNobodyHasThisOne'), [404, 'Channel not found']);
    assert.deepEqual(await refused('GET', '/channels/120363999999999999@newsletter/messages'), [
      404,
      'Channel not found',
    ]);
    const path = `/channels/${news.jid}`;
    const noAdministrator = [403, 'The account is not an administrator of this channel'];
    assert.deepEqual(await refused('POST', `${path}/messages`, { message: 'mine now' }), noAdministrator);
    assert.deepEqual(await refused('PUT', path, { name: 'mine now' }), noAdministrator);
    assert.deepEqual(await refused('DELETE', path), noAdministrator);
    assert.deepEqual(await refused('DELETE', `${path}/messages/100`), noAdministrator);
    const answer = await call('POST', `${path}/messages`, { message: 'mine now' });
    assert.equal(answer.headers.get('handset-reason'), 'channel_not_writable');
    const [code, words] = await refused('POST', `${path}/messages`, { message: 'x', mentions: [bob] });
    assert.equal(code, 400);
    assert.match(String(words), /mentions/);
    for (const body of [{}, { message: '   ' }, { message: 'x', quotedMessageId: 'Q' }])
      assert.equal((await call('POST', `${path}/messages`, body)).status, 400);
    const long = { name: 'x', description: 'd'.repeat(10_000), acceptTerms: true };
    assert.deepEqual(await refused('POST', '/channels', long), [
      400,
      'description must be a string of at most 2,048 characters, or null',
    ]);
    assert.equal((await call('PUT', path, {})).status, 200);
    for (const serverId of ['0', 'x', '99999', '9'.repeat(30)])
      assert.deepEqual(await refused('PUT', `${path}/messages/${serverId}/reaction`, { reaction: '💚' }), [
        404,
        'Post not found',
      ]);
    assert.deepEqual(await refused('PUT', `${path}/messages/100/reaction`, { reaction: 'no' }), [
      400,
      'reaction must be one emoji, or null',
    ]);
    assert.equal((await call('GET', `${path}/messages?limit=101`)).status, 400);
    assert.deepEqual(await refused('GET', '/channels?cursor=x'), [
      400,
      'cursor must be a nextCursor that this list gave',
    ]);
    await sandbox('PATCH', path, { reactionCodes: 'NONE' });
    assert.deepEqual(await refused('PUT', `${path}/messages/100/reaction`, { reaction: '💚' }), [
      400,
      'This channel takes no reactions',
    ]);
  });

  it('asks by the numbers of a file that HANDSET_QUERY_IDS names, and does not take a refusal for an empty list', async () => {
    const file = join(installation.dataDir, 'queries.json');
    assert.equal(readConfig({ HANDSET_QUERY_IDS: file }).queryIdsFile, file);
    await writeFile(file, JSON.stringify({ channelList: '1' }));
    await installation.restart({ queryIdsFile: file });
    await eventually('the session', async () => (await done('GET', '/session')).session.state === 'open');
    const [code, words] = await refused('GET', '/channels');
    assert.equal(code, 400);
    assert.match(String(words), /^The network does not know this question/);
    await done('GET', `/channels/${news.jid}`);
    await installation.stop();
    await writeFile(file, JSON.stringify({ channels: '1' }));
    await assert.rejects(
      () => installation.restart({}),
      /HANDSET_QUERY_IDS: .* channels is no query; known: channelList/,
    );
    await installation.restart({ queryIdsFile: null });
  });
});
