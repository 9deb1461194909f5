/** Channels of the account and of others, and their posts (docs/spec/channels.md). */
import { answer } from '../build.ts';
import { changes, declare, destroys, reads } from '../operation.ts';
import {
  ChannelListSchema,
  channelListParameters,
  ChannelPostsSchema,
  channelPostsParameters,
  ChannelReactionSchema,
  CreateChannelSchema,
  OneChannelSchema,
  PostedToChannelSchema,
  PostToChannelSchema,
  UpdateChannelSchema,
} from '../schemas/channel.ts';
import { creationHeader } from './sent.ts';

const one = '/devices/{id}/channels/{channel}';
const onePost = `${one}/messages/{serverId}` as const;

export const listChannels = declare({
  id: 'listChannels',
  path: '/devices/{id}/channels',
  command: 'channel list <device>',
  client: 'channels.list',
  tool: {
    name: 'list_channels',
    description: 'Channels that the account owns or follows',
  },
  ...reads('0.4.0'),
  tag: 'Channels',
  summary: 'List the channels of the account',
  description: 'Those that it owns, administers or follows, as the network has them now.',
  query: channelListParameters,
  answer: ChannelListSchema,
  connected: true,
});

export const getChannel = declare({
  id: 'getChannel',
  path: one,
  command: 'channel show <device> <channel>',
  client: 'channels.get',
  ...reads('0.4.0'),
  tag: 'Channels',
  summary: 'Retrieve a channel',
  description: 'By its JID, its link or the code of that; whether the account follows it or not.',
  answer: OneChannelSchema,
  connected: true,
});

export const createChannel = declare({
  id: 'createChannel',
  method: 'POST',
  path: '/devices/{id}/channels',
  command: 'channel create <device> <name>',
  nullWords: { description: '' },
  client: 'channels.create',
  ...changes('0.4.0', 'manage'),
  tag: 'Channels',
  summary: 'Create a channel',
  description:
    'The network has terms for owners of channels. Where the account has not accepted them, a 409 says so: its owner accepts them by `acceptTerms`, or in the app.',
  body: {
    schema: CreateChannelSchema,
    examples: { news: { name: 'News of the bakery', description: 'What comes out of the oven', acceptTerms: true } },
  },
  headers: creationHeader,
  answer: OneChannelSchema,
  connected: true,
  errors: ['termsNotAccepted'],
});

export const updateChannel = declare({
  id: 'updateChannel',
  method: 'PUT',
  path: one,
  command: 'channel set <device> <channel>',
  nullWords: { description: '' },
  client: 'channels.update',
  ...changes('0.4.0', 'manage'),
  tag: 'Channels',
  summary: 'Change a channel’s name, description and reactions, or mute it',
  description: 'Omitted fields stay as they are. To mute is for followers as well; the rest is for administrators.',
  body: {
    schema: UpdateChannelSchema,
    examples: { name: { name: 'Bakery' }, quiet: { reactions: 'none' }, muted: { muted: true } },
  },
  answer: OneChannelSchema,
  connected: true,
  errors: ['channelNotWritable'],
});

export const deleteChannel = declare({
  id: 'deleteChannel',
  method: 'DELETE',
  path: one,
  command: 'channel delete <device> <channel>',
  client: 'channels.delete',
  ...destroys('0.4.0', 'manage'),
  tag: 'Channels',
  summary: 'Delete a channel of the account',
  description: 'For all its followers. Only its owner can, and nobody can undo it.',
  answer: answer({}),
  connected: true,
  errors: ['channelNotWritable'],
});

export const followChannel = declare({
  id: 'followChannel',
  method: 'PUT',
  path: `${one}/following`,
  command: 'channel follow <device> <channel>',
  client: 'channels.follow',
  tool: { name: 'follow_channel' },
  ...changes('0.4.0', 'manage'),
  tag: 'Channels',
  summary: 'Follow a channel',
  description: 'Repeating it is harmless. Its posts come as events where the setting `channels` is `followed`.',
  answer: OneChannelSchema,
  connected: true,
});

export const unfollowChannel = declare({
  id: 'unfollowChannel',
  method: 'DELETE',
  path: `${one}/following`,
  command: 'channel unfollow <device> <channel>',
  client: 'channels.unfollow',
  tool: { name: 'unfollow_channel' },
  ...changes('0.4.0', 'manage'),
  tag: 'Channels',
  summary: 'Stop following a channel',
  description: 'Repeating it is harmless. An owner cannot leave the own channel.',
  answer: answer({}),
  connected: true,
  errors: ['channelNotWritable'],
});

export const listChannelMessages = declare({
  id: 'listChannelMessages',
  path: `${one}/messages`,
  command: 'channel messages <device> <channel>',
  client: 'channels.messages',
  tool: {
    name: 'list_channel_posts',
    description: 'Newest posts of a channel (JID, or link)',
  },
  ...reads('0.4.0'),
  tag: 'Channels',
  summary: 'List the posts of a channel',
  description: 'Newest first, from the network; Handset stores none of them.',
  query: channelPostsParameters,
  answer: ChannelPostsSchema,
  connected: true,
});

export const postToChannel = declare({
  id: 'postToChannel',
  method: 'POST',
  path: `${one}/messages`,
  command: 'channel post <device> <channel> <message>',
  client: 'channels.post',
  tool: {
    name: 'post_to_channel',
    description: 'Posts a text to a channel of the account',
  },
  effect: 'sends',
  action: 'send',
  since: '0.4.0',
  tag: 'Channels',
  summary: 'Post a text to a channel',
  description:
    'To a channel that the account owns or administers. Answers once the network has acknowledged the post, and says whether the network shows it.',
  body: { schema: PostToChannelSchema, examples: { text: { message: 'Fresh bread at seven' } } },
  headers: creationHeader,
  answer: PostedToChannelSchema,
  connected: true,
  errors: ['channelNotWritable', 'sendFailed'],
});

export const editChannelMessage = declare({
  id: 'editChannelMessage',
  method: 'PUT',
  path: onePost,
  command: 'channel edit <device> <channel> <serverId> <message>',
  client: 'channels.editMessage',
  tool: { name: 'edit_channel_post' },
  ...changes('0.4.0', 'send'),
  tag: 'Channels',
  summary: 'Edit a text post of a channel',
  description: 'For everybody. Only texts of this account can be edited.',
  body: { schema: PostToChannelSchema, examples: { text: { message: 'Fresh bread at eight' } } },
  answer: answer({}),
  connected: true,
  errors: ['channelNotWritable', 'sendFailed'],
});

export const deleteChannelMessage = declare({
  id: 'deleteChannelMessage',
  method: 'DELETE',
  path: onePost,
  command: 'channel delete-post <device> <channel> <serverId>',
  client: 'channels.deleteMessage',
  tool: { name: 'delete_channel_post' },
  ...destroys('0.4.0', 'send'),
  tag: 'Channels',
  summary: 'Delete a post of a channel',
  description: 'For everybody.',
  answer: answer({}),
  connected: true,
  errors: ['channelNotWritable', 'sendFailed'],
});

export const setChannelReaction = declare({
  id: 'setChannelReaction',
  method: 'PUT',
  path: `${onePost}/reaction`,
  command: 'channel reaction <device> <channel> <serverId> <emoji>',
  nullWords: { reaction: 'none' },
  client: 'channels.setReaction',
  ...changes('0.4.0', 'send'),
  tag: 'Channels',
  summary: 'React to a post of a channel',
  description: 'One emoji, which replaces an earlier one; null takes it back.',
  body: { schema: ChannelReactionSchema, examples: { heart: { reaction: '💚' }, none: { reaction: null } } },
  answer: answer({}),
  connected: true,
  errors: ['reactionRule', 'channelNotWritable', 'sendFailed'],
});

export const viewChannelMessage = declare({
  id: 'viewChannelMessage',
  method: 'POST',
  path: `${onePost}/view`,
  command: 'channel view <device> <channel> <serverId>',
  client: 'channels.viewMessage',
  ...changes('0.4.0', 'send'),
  tag: 'Channels',
  summary: 'Count a post of a channel as seen',
  description: 'Handset never does so by itself.',
  answer: answer({}),
  connected: true,
});
