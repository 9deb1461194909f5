/** Bodies and answers of the sends (docs/spec/messages.md). */
import { Type } from 'typebox';
import { usernameRule } from '../../../domain/chats/usernames.ts';
import { numberRule } from '../../../domain/jid.ts';
import {
  members,
  flag,
  inThousands,
  nullableInteger,
  oneOf,
  timestamp,
  timestampMember,
  visibleText,
} from '../../build.ts';

export const sendTimes = {
  sendAt: Type.Optional(
    timestampMember('Send it then, within 90 days. The answer comes at once, with the id that the message will have'),
  ),
  sendUntil: Type.Optional(
    timestampMember(
      'With `sendAt`: how long a device that is away is waited for; 24 hours after `sendAt` if omitted. Then `message.updated` says that it failed',
    ),
  ),
};

/** The sender chooses the id. */
const messageId = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 128,
    description,
    errorMessage: 'must be the id of a message',
    examples: ['3EB0C767D82C0A1B6F43'],
  });

export const references = {
  quotedMessageId: Type.Optional(messageId('Id of the message of this chat that this one answers')),
  mentions: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: 50,
      description:
        'People mentioned, at most 50: phone numbers or JIDs. Each must be seen in the text as `@` and its digits',
      errorMessage: 'must be at most 50 phone numbers or JIDs',
      examples: [['4915112345678']],
    }),
  ),
  mentionAll: Type.Optional(
    flag(
      'In a group: mention everybody in it. It must be seen in the text as `@all`. In a group of more than 32 members only administrators may; false if omitted',
    ),
  ),
};

const text = (most: number, description: string) =>
  visibleText(most, { description: `${description}, at most ${inThousands(most)} characters` });

const degrees = (most: number, description: string) =>
  Type.Number({
    minimum: -most,
    maximum: most,
    description: `${description} in degrees`,
    errorMessage: `must be a number from -${most} to ${most}`,
  });

/** The members that name the recipient of a send (docs/spec/messages.md, Recipient). */
export const recipient = {
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'JID: `<digits>@s.whatsapp.net`, `<digits>@lid` or `<id>@g.us`; for texts, files and polls also a channel, `<digits>@newsletter`. Exactly one of `to`, `toNumber` and `toUsername`',
      errorMessage: 'must be a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us',
      examples: ['120363025246125486@g.us'],
    }),
  ),
  toNumber: Type.Optional(
    Type.String({
      pattern: '^\\d{8,15}$',
      description:
        'Phone number: 8 to 15 digits, country code included. Exactly one of `to`, `toNumber` and `toUsername`',
      errorMessage: `must be ${numberRule}`,
      examples: ['4915112345678'],
    }),
  ),
  toUsername: Type.Optional(
    Type.String({
      minLength: 3,
      maxLength: 36,
      description:
        'Username, with or without `@`. Looked up for each send, because it may go to somebody else: for a conversation, give the `lid` in `to`. Exactly one of `to`, `toNumber` and `toUsername`',
      errorMessage: `must be a username: ${usernameRule}`,
      examples: ['some.body'],
    }),
  ),
  usernameKey: Type.Optional(
    Type.String({
      pattern: '^\\d{4}$',
      description: 'With `toUsername`, where the person asks for a key: 4 digits',
      errorMessage: 'must be 4 digits',
      examples: ['1234'],
    }),
  ),
};

export const SendLocationSchema = members(
  {
    ...recipient,
    latitude: degrees(90, 'Latitude'),
    longitude: degrees(180, 'Longitude'),
    name: Type.Optional(text(1_024, 'Name of the place')),
    address: Type.Optional(text(1_024, 'Address of the place')),
    ...references,
    ...sendTimes,
  },
  { title: 'SendLocation' },
);

const number = Type.String({ pattern: '^\\d{8,15}$', description: '8 to 15 digits, country code included' });

export const SendContactSchema = members(
  {
    ...recipient,
    contacts: Type.Array(
      members({
        name: text(100, 'Name'),
        numbers: Type.Array(number, { minItems: 1, maxItems: 10, description: 'Phone numbers, 1 to 10' }),
        organization: Type.Optional(text(100, 'Organization')),
      }),
      {
        minItems: 1,
        maxItems: 20,
        description: 'The contacts, 1 to 20',
        errorMessage: `must be 1 to 20 contacts {name, numbers, organization?}, texts of 1 to 100 characters, at least one of them visible, with 1 to 10 numbers of ${numberRule}`,
      },
    ),
    ...references,
    ...sendTimes,
  },
  { title: 'SendContact' },
);

export const SendPollSchema = members(
  {
    ...recipient,
    question: text(255, 'Question'),
    options: Type.Array(text(100, 'Option'), {
      minItems: 2,
      maxItems: 12,
      uniqueItems: true,
      description: 'Options, 2 to 12 different ones',
      errorMessage: 'must be 2 to 12 different strings of 1 to 100 characters, each with a visible one',
    }),
    maxAnswers: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 12,
        description: 'How many options one person may choose; 1 if omitted',
        errorMessage: 'must be a whole number from 1 to the number of options',
      }),
    ),
    ...references,
    ...sendTimes,
  },
  { title: 'SendPoll' },
);

export const SendTextSchema = members(
  {
    ...recipient,
    message: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The text to send, 1 to 65,536 characters',
      errorMessage: 'must be a string of 1 to 65,536 characters',
    }),
    linkPreview: Type.Optional(flag('Fetch a preview of the first link in the text, for at most 5 seconds')),
    ...references,
    ...sendTimes,
  },
  { title: 'SendText' },
);

export const SentAlbumSchema = Type.Object(
  {
    status: Type.Unsafe<'success'>({ type: 'string', enum: ['success'] }),
    messageId: Type.String({ description: 'Of the album', examples: ['3EB0C767D82C0A1B6F43'] }),
    messageIds: Type.Array(Type.String(), { description: 'Of the images and videos, in their order' }),
    sendAt: Type.Optional(timestamp('Of an album that waits for its time')),
  },
  { title: 'SentAlbum', additionalProperties: false },
);

export const posted = {
  serverId: nullableInteger({
    description:
      "Of a post to a channel: the network's number of it, by which it is changed; null where the network told none",
  }),
  state: oneOf(['accepted', 'unconfirmed'], {
    description:
      'Of a post to a channel. `accepted`: the network took it and shows it. `unconfirmed`: it took it, but does not show it: look at the channel before you post it again',
  }),
};

export const SentSchema = Type.Object(
  {
    status: Type.Unsafe<'success'>({ type: 'string', enum: ['success'] }),
    messageId: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
    serverId: Type.Optional(posted.serverId),
    state: Type.Optional(posted.state),
    sendAt: Type.Optional(timestamp('Of a message that waits for its time')),
  },
  { title: 'Sent', additionalProperties: false },
);
