/** Routes for channels: owners create, change and post; phones read and follow. */
import { proto } from 'baileys';
import { randomBytes } from 'node:crypto';
import { notFound } from '../base/errors.ts';
import { flag, list, oneOf, phoneNumber, readFields, readNothing, text, unless, whole } from '../base/fields.ts';
import type { Channel, ChannelPost } from '../server/channels/channel.ts';
import { join, leave, makeChannel, tellChanged } from '../server/iq/channels.ts';
import { changePost, fileIn, passOnPost, publish, tellCounters } from '../server/messages/channels.ts';
import { type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';

const maxAtOnce = 20_000;

const channelOf = ({ hub }: Network, jid: string | undefined): Channel => {
  const channel = hub.state.channels.get(jid ?? '');
  if (channel === undefined) throw notFound(`there is no channel ${jid}`);
  return channel;
};

const postIn = ({ posts }: Channel, serverId: string | undefined): ChannelPost => {
  const post = posts.find((each) => String(each.serverId) === serverId);
  if (post === undefined) throw notFound(`there is no post ${serverId} in this channel`);
  return post;
};

const postJson = ({ serverId, id, at, type, bytes, editedAt, deleted, reactions, views }: ChannelPost): object => {
  const message = proto.Message.decode(bytes);
  const file = fileIn(message);
  const poll = message.pollCreationMessage ?? message.pollCreationMessageV3;
  const caption = file !== null && 'caption' in file ? file.caption : poll?.name;
  return {
    serverId,
    id,
    type,
    timestamp: new Date(at).toISOString(),
    text: message.conversation ?? message.extendedTextMessage?.text ?? caption ?? null,
    media: file ? { mimetype: file.mimetype ?? null, directPath: file.directPath ?? null } : null,
    edited: editedAt !== null && !deleted,
    deleted,
    reactions: [...reactions].map(([{ number }, emoji]) => ({ from: number, emoji })),
    views: views.size,
  };
};

const channelView = ({ jid, invite, name, description, owner, state, reactionCodes, followers, posts }: Channel) => ({
  channel: {
    jid,
    invite,
    name,
    description,
    owner: owner.number,
    state,
    reactionCodes,
    followers: [...followers].map(({ number }) => number),
    posts: posts.map(postJson),
  },
});

const written = (words: string): Uint8Array => proto.Message.encode({ conversation: words }).finish();

const followerRoutes = (network: Network): Routes => ({
  'POST /phones/{number}/channels/{jid}/following': ({ params, body }) => {
    const channel = channelOf(network, params['jid']);
    const { account } = phoneOf(network, params['number']);
    const { following } = readFields(body, { following: flag });
    if (following) join(network.hub.state, channel, account);
    else leave(network.hub.state, channel, account);
    return channelView(channel);
  },
  'POST /phones/{number}/channels/{jid}/posts/{serverId}/reaction': ({ params, body }) => {
    const channel = channelOf(network, params['jid']);
    const { account } = phoneOf(network, params['number']);
    const { emoji } = readFields(body, { emoji: text(20, 0) });
    const post = postIn(channel, params['serverId']);
    if (emoji === '') post.reactions.delete(account);
    else post.reactions.set(account, emoji);
    tellCounters(network.hub.state, channel, post);
    return {};
  },
});

export const channelRoutes = (network: Network): Routes => ({
  'POST /channels': ({ body }) => {
    const fields = { owner: phoneNumber, name: text(100), description: unless(text(2_048, 0)) };
    const { owner, name, description } = readFields(body, fields);
    return channelView(makeChannel(network.hub.state, phoneOf(network, owner).account, name, description ?? ''));
  },
  'GET /channels/{jid}': ({ params }) => channelView(channelOf(network, params['jid'])),
  'PATCH /channels/{jid}': ({ params, body }) => {
    const channel = channelOf(network, params['jid']);
    const { admins, ...given } = readFields(body, {
      name: unless(text(100)),
      description: unless(text(2_048, 0)),
      state: unless(oneOf('ACTIVE', 'SUSPENDED', 'GEOSUSPENDED', 'DELETED')),
      reactionCodes: unless(oneOf('ALL', 'BASIC', 'NONE')),
      admins: unless(list(phoneNumber, 0, 16)),
    });
    Object.assign(channel, Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)));
    if (admins !== undefined) {
      channel.admins.clear();
      for (const number of admins) channel.admins.add(phoneOf(network, number).account);
    }
    tellChanged(network.hub.state, channel);
    return channelView(channel);
  },
  'POST /channels/{jid}/posts': ({ params, body }) => {
    const channel = channelOf(network, params['jid']);
    const { text: words, count } = readFields(body, { text: text(), count: unless(whole(1, maxAtOnce)) });
    const posts = Array.from({ length: count ?? 1 }, (_, index) => {
      const bytes = written(count === undefined ? words : `${words} ${index + 1}`);
      const id = `3A${randomBytes(9).toString('hex').toUpperCase()}`;
      return publish(network.hub.state, channel, { id, type: 'text', bytes });
    });
    for (const post of posts) passOnPost(network.hub.state, channel, post, null);
    return { posts: posts.slice(0, 100).map(postJson) };
  },
  'PATCH /channels/{jid}/posts/{serverId}': ({ params, body }) => {
    const channel = channelOf(network, params['jid']);
    const { text: words } = readFields(body, { text: text() });
    changePost(network.hub.state, channel, postIn(channel, params['serverId']), written(words));
    return {};
  },
  'DELETE /channels/{jid}/posts/{serverId}': ({ params, body }) => {
    readNothing(body);
    const channel = channelOf(network, params['jid']);
    changePost(network.hub.state, channel, postIn(channel, params['serverId']), null);
    return {};
  },
  ...followerRoutes(network),
});
