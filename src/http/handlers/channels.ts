/** Channels of the account and of others, and their posts (docs/spec/channels.md). */
import * as declared from '../../contract/operations/channels.ts';
import type { Channel, KeptPost } from '../../domain/channels/channel.ts';
import { iso, isoOrNull, noted } from '../../domain/event-view.ts';
import { answerLarge } from '../streams/answers.ts';
import { pageOf } from '../views/page.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { idempotencyOf } from './sent.ts';

const usualPosts = 50;

const channelView = ({ invite, createdAt, ...channel }: Channel) => ({
  jid: channel.jid,
  name: channel.name,
  description: channel.description,
  link: invite === null ? null : `https://whatsapp.com/channel/${invite}`,
  role: channel.role,
  state: channel.state,
  followers: channel.followers,
  verified: channel.verified,
  reactions: channel.reactions,
  muted: channel.muted,
  createdAt: isoOrNull(createdAt),
});

const postView = ({ timestamp, media, ...post }: KeptPost) => ({
  ...post,
  media: noted(media),
  timestamp: iso(timestamp),
});

export const listChannels = handle(declared.listChannels, async (call) => {
  const { services, scope, query } = call;
  const { items, nextCursor } = await answerLarge(call, () => services.channels.list(scope, pageOf(query)));
  return { channels: items.map(channelView), nextCursor, status: ok('Channels listed') };
});

export const getChannel = handle(declared.getChannel, async ({ services, scope, params }) => ({
  channel: channelView(await services.channels.get(scope, params.channel)),
  status: ok('Channel retrieved'),
}));

export const createChannel = handle(declared.createChannel, async ({ services, scope, body, request }) => {
  const { name, description = null, acceptTerms = false } = body;
  const once = idempotencyOf(request, 'channel', body);
  const channel = await services.channels.create(scope, { name, description: description || null, acceptTerms }, once);
  return { channel: channelView(channel), status: ok('Channel created') };
});

export const updateChannel = handle(declared.updateChannel, async ({ services, scope, params, body }) => ({
  channel: channelView(await services.channels.change(scope, params.channel, body)),
  status: ok('Channel updated'),
}));

export const deleteChannel = handle(declared.deleteChannel, async ({ services, scope, params }) => {
  await services.channels.remove(scope, params.channel);
  return { status: ok('Channel deleted') };
});

export const followChannel = handle(declared.followChannel, async ({ services, scope, params }) => ({
  channel: channelView(await services.channels.follow(scope, params.channel)),
  status: ok('Channel followed'),
}));

export const unfollowChannel = handle(declared.unfollowChannel, async ({ services, scope, params }) => {
  await services.channels.unfollow(scope, params.channel);
  return { status: ok('Channel no longer followed') };
});

export const listChannelMessages = handle(declared.listChannelMessages, async (call) => {
  const { services, scope, params, query } = call;
  const page = { before: query.before ?? null, limit: query.limit ?? usualPosts };
  const posts = await answerLarge(call, () => services.channels.posts(scope, params.channel, page));
  return { messages: posts.map(postView), status: ok('Posts listed') };
});

export const postToChannel = handle(declared.postToChannel, async ({ services, scope, params, body, request }) => {
  const once = idempotencyOf(request, `post ${params.channel}`, body);
  const content = { kind: 'text', text: body.message } as const;
  const post = { channel: params.channel, content, deadline: request.deadline! };
  const { id, serverId, state } = await services.channels.post(scope, post, once);
  return { messageId: id, serverId, state, status: ok('Posted') };
});

export const editChannelMessage = handle(declared.editChannelMessage, async ({ services, scope, params, body }) => {
  await services.channels.edit(scope, params.channel, params.serverId, body.message);
  return { status: ok('Post edited') };
});

export const deleteChannelMessage = handle(declared.deleteChannelMessage, async ({ services, scope, params }) => {
  await services.channels.removePost(scope, params.channel, params.serverId);
  return { status: ok('Post deleted') };
});

export const setChannelReaction = handle(declared.setChannelReaction, async ({ services, scope, params, body }) => {
  await services.channels.react(scope, params.channel, params.serverId, body.reaction);
  return { status: ok(body.reaction === null ? 'Reaction taken back' : 'Reaction set') };
});

export const viewChannelMessage = handle(declared.viewChannelMessage, async ({ services, scope, params }) => {
  await services.channels.view(scope, params.channel, params.serverId);
  return { status: ok('Post viewed') };
});
