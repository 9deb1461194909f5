/** Channels on a network that accepts every act, and a call of every operation on them. */
import type { Channel, KeptPost } from '../../../src/domain/channels/channel.ts';
import type { Channels } from '../../../src/domain/channels/channels.ts';

const channelJid = '120363012345678901@newsletter';

const channelOf = (given: Partial<Channel> = {}): Channel => ({
  jid: channelJid,
  name: 'News',
  description: 'What is new',
  invite: '0029Va1b2c3d4e5f6a7b8c9d',
  role: 'owner',
  state: 'active',
  followers: 2,
  verified: false,
  reactions: 'all',
  muted: false,
  createdAt: 1_790_000_000_000,
  ...given,
});

const post: KeptPost = {
  serverId: 101,
  id: 'POST',
  timestamp: 1_790_000_000_000,
  type: 'text',
  text: 'hello',
  media: null,
  views: 3,
  reactions: [{ reaction: '💚', count: 2 }],
  deleted: false,
};

const taken = async (): Promise<void> => {};

export const quietChannels: Channels = {
  list: async () => [channelOf()],
  read: async () => channelOf(),
  follow: taken,
  unfollow: taken,
  create: async ({ name, description }) => channelOf({ name, description }),
  change: async (_jid, { name }) => channelOf(name === undefined ? {} : { name }),
  remove: taken,
  posts: async () => [post],
  assertMayPost: taken,
  post: async () => ({ serverId: 102, state: 'accepted' }),
  edit: taken,
  removePost: taken,
  react: taken,
  view: taken,
};

export const channelCalls = (id: number) =>
  ({
    listChannels: [id],
    getChannel: [id, undefined, channelJid],
    createChannel: [id, { name: 'News', acceptTerms: true }],
    updateChannel: [id, { name: 'Newer' }, channelJid],
    followChannel: [id, undefined, channelJid],
    unfollowChannel: [id, undefined, channelJid],
    listChannelMessages: [id, undefined, channelJid],
    postToChannel: [id, { message: 'hello' }, channelJid],
    editChannelMessage: [id, { message: 'hallo' }, channelJid, '101'],
    setChannelReaction: [id, { reaction: '💚' }, channelJid, '101'],
    viewChannelMessage: [id, undefined, channelJid, '101'],
    deleteChannelMessage: [id, undefined, channelJid, '101'],
    deleteChannel: [id, undefined, channelJid],
  }) as const;
