/** Channels, their posts and their events (docs/spec/channels.md). */
import { Type } from 'typebox';
import { channelReactions, channelRoles, channelStates } from '../../domain/channels/channel.ts';
import { messageTypes } from '../../domain/messages/parts.ts';
import {
  answer,
  inThousands,
  members,
  nullable,
  nullableInteger,
  nullableText,
  nullableTimestamp,
  oneOf,
  timestamp,
  visibleName,
  visibleText,
} from '../build.ts';
import { MediaSchema } from './messages/message.ts';
import { posted } from './messages/send.ts';
import { nextCursor, pageParameters } from './page.ts';

const jid = Type.String({ description: 'JID of the channel', examples: ['120363012345678901@newsletter'] });
const maxName = 100;
const maxDescription = 2_048;

const nullableReactions = Type.Unsafe<(typeof channelReactions)[number] | null>({
  type: ['string', 'null'],
  enum: [...channelReactions, null],
  description:
    'Which reactions the channel takes: all, those that the apps offer first, or none; null where the network does not say',
});

const ChannelSchema = Type.Object(
  {
    jid,
    name: nullableText(),
    description: nullableText(),
    link: nullableText({
      description: 'Its link, for followers',
      examples: ['https://whatsapp.com/channel/0029Va1b2c3d4e5f6a7b8c9d'],
    }),
    role: oneOf(channelRoles, { description: 'What the account is in it; a guest does not follow it' }),
    state: oneOf(channelStates),
    followers: nullableInteger({ description: 'Number of followers, as the network tells it' }),
    verified: Type.Boolean(),
    reactions: nullableReactions,
    muted: Type.Unsafe<boolean | null>({
      type: ['boolean', 'null'],
      description: 'The apps tell nothing of it; null where the network does not say',
    }),
    createdAt: nullableTimestamp('When it was made'),
  },
  { title: 'Channel' },
);

export const ChannelListSchema = answer({ channels: Type.Array(ChannelSchema), nextCursor });
export const channelListParameters = members(pageParameters);
export const OneChannelSchema = answer({ channel: ChannelSchema });

const { url: _url, ...mediaMembers } = MediaSchema.properties;

const post = {
  serverId: Type.Integer({ description: "The network's number of the post in its channel", examples: [101] }),
  id: nullableText({ description: 'The id that its author gave it', examples: ['3EB0C767D82C0A1B6F43'] }),
  timestamp: timestamp('When it was posted'),
  type: oneOf(messageTypes),
  text: nullableText({ description: 'Text or caption' }),
  media: nullable(Type.Object(mediaMembers, { title: 'ChannelMedia' })),
};

const counters = {
  views: nullableInteger({ description: 'How often it was seen; null where the network does not say' }),
  reactions: Type.Array(Type.Object({ reaction: Type.String(), count: Type.Integer() })),
};

const ChannelPostSchema = Type.Object(
  { ...post, ...counters, deleted: Type.Boolean({ description: 'Its content was deleted' }) },
  { title: 'ChannelPost' },
);

export const ChannelPostsSchema = answer({ messages: Type.Array(ChannelPostSchema) });

export const channelPostsParameters = members({
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: '`serverId` of the post before which the page ends; by default it begins with the newest',
      errorMessage: 'must be the serverId of a post',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'Maximum number of posts, 1 to 100; 50 by default. A page also ends at about 4 MB',
      errorMessage: 'must be a whole number from 1 to 100',
    }),
  ),
});

export const PostedToChannelSchema = answer({
  messageId: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
  ...posted,
});

const message = visibleText(65_536, { description: 'The text, 1 to 65,536 characters' });

export const PostToChannelSchema = members({ message }, { title: 'PostToChannel' });

const name = visibleName(maxName, {
  description: `Name of the channel, 1 to ${maxName} characters, at least one of them visible`,
});

const description = nullableText({
  maxLength: maxDescription,
  description: `At most ${inThousands(maxDescription)} characters; null: none`,
  errorMessage: `must be a string of at most ${inThousands(maxDescription)} characters, or null`,
});

export const CreateChannelSchema = members(
  {
    name,
    description: Type.Optional(description),
    acceptTerms: Type.Optional(
      Type.Boolean({
        description:
          'true accepts the network’s terms for channels on behalf of the account’s owner. Default: false; they are never accepted silently',
        errorMessage: 'must be true or false',
      }),
    ),
  },
  { title: 'CreateChannel' },
);

export const UpdateChannelSchema = members(
  {
    name: Type.Optional(name),
    description: Type.Optional(description),
    reactions: Type.Optional(
      oneOf(channelReactions, {
        description: 'Which reactions it takes',
        errorMessage: 'must be one of all, basic, none',
      }),
    ),
    muted: Type.Optional(
      Type.Boolean({
        description: 'Whether the apps show no notifications of it; for followers as well',
        errorMessage: 'must be true or false',
      }),
    ),
  },
  { title: 'UpdateChannel' },
);

export const ChannelReactionSchema = members(
  {
    reaction: nullableText({
      minLength: 1,
      maxLength: 64,
      description: 'One emoji; null takes it back',
      errorMessage: 'must be one emoji, or null',
    }),
  },
  { title: 'ChannelReaction' },
);

export const channelEventData = {
  'channel.message': {
    when: 'A channel has a new post, where the setting `channels` asks for it',
    data: Type.Object({
      channel: jid,
      own: Type.Boolean({ description: 'The account owns or administers the channel' }),
      message: Type.Object(post, { title: 'ChannelMessage' }),
    }),
  },
  'channel.message.updated': {
    when: 'A post of a channel was edited or deleted, or has other counters, where the setting `channels` asks for it',
    data: Type.Object({
      channel: jid,
      serverId: Type.Integer(),
      update: Type.Union([
        Type.Object({ text: nullableText() }),
        Type.Object({ deleted: Type.Literal(true) }),
        Type.Object(counters),
      ]),
    }),
  },
  'channel.updated': {
    when: 'A channel has another name, description or state, or the account follows it or does so no more, where the setting `channels` asks for it',
    data: Type.Object({
      channel: jid,
      change: Type.Object({
        name: Type.Optional(nullableText()),
        description: Type.Optional(nullableText()),
        state: Type.Optional(oneOf(channelStates)),
        following: Type.Optional(Type.Boolean()),
      }),
    }),
  },
};
