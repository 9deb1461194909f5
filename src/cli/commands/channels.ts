/** `handset channel …`: channels of the account and of others, and their posts. */
import type { Command } from '../command/command.ts';
import { callCommand, listed } from '../command/generic.ts';
import { fields } from '../terminal/output.ts';
import type { Part } from '../terminal/paint.ts';
import type { Things } from '../../mcp/client.ts';

type Channel = Things['Channel'];
type Post = Things['ChannelPost'];

const shown = (channel: Channel): readonly Part[] =>
  fields([
    ['Channel', channel.jid],
    ['Name', channel.name],
    ['Description', channel.description],
    ['Link', channel.link],
    ['Role', channel.role],
    ['State', channel.state],
    ['Followers', channel.followers === null ? null : String(channel.followers)],
    ['Reactions', channel.reactions],
    ['Muted', channel.muted === null ? null : channel.muted ? 'yes' : 'no'],
  ]);

const one = {
  value: ({ channel }: { readonly channel: Channel }) => channel,
  done: ({ channel }: { readonly channel: Channel }) => shown(channel),
};

const wordsOf = ({ text, type, deleted }: Post): string => (deleted ? 'deleted' : (text ?? type)).replaceAll('\n', ' ');

const channelMessages = callCommand('listChannelMessages', {
  value: ({ messages }: { readonly messages: readonly Post[] }) => messages,
  done: ({ messages }) =>
    listed(messages, 'The channel has no posts', {
      POST: ({ serverId }) => String(serverId),
      AT: ({ timestamp }) => timestamp,
      VIEWS: ({ views }) => (views === null ? '' : String(views)),
      TEXT: wordsOf,
    }),
});

const channelPost = callCommand('postToChannel', {
  done: ({ serverId, state }: { readonly serverId: number | null; readonly state: string }) => [
    state === 'accepted'
      ? `Posted as ${serverId}`
      : 'The network took the post, but does not show it: look at the channel before you post it again',
  ],
});

export const channelCommands: readonly Command[] = [
  callCommand('listChannels', {
    usual: { limit: '1000' },
    value: ({ channels }: { readonly channels: readonly Channel[] }) => channels,
    done: ({ channels }) =>
      listed(channels, 'The account has no channel, and follows none', {
        CHANNEL: ({ jid }) => jid,
        ROLE: ({ role }) => role,
        NAME: ({ name }) => name ?? '',
      }),
  }),
  callCommand('getChannel', one),
  callCommand('createChannel', one),
  callCommand('updateChannel', one),
  callCommand('deleteChannel', { destroys: 'its followers lose it, and nobody can undo it', done: 'Channel deleted' }),
  callCommand('followChannel', one),
  channelMessages,
  channelPost,
  callCommand('deleteChannelMessage', { destroys: 'the post is deleted for everybody', done: 'Post deleted' }),
  callCommand('setChannelReaction', { done: 'Reaction set' }),
];
