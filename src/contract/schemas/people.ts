/** Profiles, look-ups and changes of people and chats (docs/spec/conversation.md). */
import { Type } from 'typebox';
import {
  nullableText,
  nullableTimestamp,
  answer,
  members,
  timestampMember,
  flag,
  nullableName,
  visibleName,
} from '../build.ts';
import { ContactSchema, ChatSchema } from './chat.ts';
import { givenLabels } from './messages/label.ts';
import { numbersRule } from '../../domain/jid.ts';
import { maxNumbers } from '../../domain/chats/contact.ts';
import { maxWritten, usernameRule } from '../../domain/chats/usernames.ts';

const ProfileSchema = Type.Object(
  {
    jid: Type.String(),
    number: Type.String(),
    lid: nullableText(),
    username: nullableText({ description: 'Null where the account has none' }),
    name: nullableText({ description: 'The name that others see' }),
    about: nullableText(),
    aboutExpiresAt: nullableTimestamp('When `about` ends; null: never'),
    picture: nullableText({ description: 'Id of the picture, which changes with it; null where there is none' }),
  },
  { title: 'Profile' },
);

export const ProfileAnswer = answer({ profile: ProfileSchema });

export const UpdateProfileSchema = members(
  {
    name: Type.Optional(
      visibleName(25, { description: 'The name that others see, 1 to 25 characters, at least one of them visible' }),
    ),
    about: Type.Optional(
      Type.String({
        maxLength: 139,
        pattern: '^[^\\u0000]*$',
        description: 'The text below the name, at most 139 characters; empty: none',
        errorMessage: 'must be a string of at most 139 characters',
      }),
    ),
    aboutExpiresAt: Type.Optional(
      timestampMember('When the text of `about`, which is required then, ends: within a year. Never by default'),
    ),
    username: Type.Optional(
      nullableText({
        maxLength: 36,
        description: 'The username, with or without `@`; null gives it up',
        errorMessage: `must be a username, or null: ${usernameRule}`,
      }),
    ),
    usernameKey: Type.Optional(
      nullableText({
        pattern: '^\\d{4}$',
        description: '4 digits that people need to look the username up; null: they need none',
        errorMessage: 'must be 4 digits, or null',
      }),
    ),
  },
  { title: 'UpdateProfile' },
);

export const lookUpParameters = members({
  numbers: Type.String({
    minLength: 1,
    maxLength: 400,
    description: '1 to 20 phone numbers in digits, country code included, separated by commas',
    examples: ['4915112345678,4915112345679'],
    errorMessage: numbersRule,
  }),
});

export const LookUpAnswer = answer({
  contacts: Type.Array(
    Type.Object(
      {
        number: Type.String({ description: 'As it was asked for' }),
        exists: Type.Boolean({ description: 'Whether it has an account on the network' }),
        jid: nullableText({ description: 'Where messages to it go; its number may differ from the one asked for' }),
        lid: nullableText(),
      },
      { title: 'FoundAccount' },
    ),
  ),
});

export const LookUpUsernamesSchema = members(
  {
    usernames: Type.Array(Type.String({ minLength: 3, maxLength: maxWritten }), {
      minItems: 1,
      maxItems: maxNumbers,
      description: `1 to ${maxNumbers} usernames: \`name\` or \`@name\`, and \`name:1234\` where the person asks for a key`,
      errorMessage: `must be 1 to ${maxNumbers} usernames, each name, @name or name:1234`,
      examples: [['@some.body', 'shop_berlin:1234']],
    }),
  },
  { title: 'LookUpUsernames' },
);

export const LookUpUsernamesAnswer = answer({
  contacts: Type.Array(
    Type.Object(
      {
        username: Type.String({ description: 'As it was asked for, without `@`' }),
        exists: Type.Boolean({ description: 'Whether somebody has it' }),
        keyRequired: Type.Boolean({ description: 'The person is found with a key only, which is missing or another' }),
        jid: nullableText({ description: 'Where messages to the person go' }),
        lid: nullableText(),
        number: nullableText({ description: 'Null where the person hides it' }),
      },
      { title: 'FoundUsername' },
    ),
  ),
});

export const UpdateContactSchema = members(
  {
    blocked: Type.Optional(flag('Whether the account has blocked the person')),
    name: Type.Optional(
      nullableName(100, {
        description:
          'The name in the address book of the account, 1 to 100 characters, at least one of them visible; null removes the person from it',
      }),
    ),
  },
  { title: 'UpdateContact' },
);

export const ContactAnswer = answer({ contact: ContactSchema });

const timers = [0, 86_400, 604_800, 7_776_000];

export const UpdateChatSchema = members(
  {
    archived: Type.Optional(flag('Whether the chat is in the archive')),
    pinned: Type.Optional(flag('Whether the chat is at the top of the list')),
    mutedUntil: Type.Optional(
      nullableText({
        maxLength: 64,
        description: 'When the mute ends (RFC 3339, in the future), or `always`; null: not muted',
        examples: ['2030-01-01T00:00:00Z'],
        errorMessage: 'must be a time in RFC 3339, "always", or null',
      }),
    ),
    labels: Type.Optional(givenLabels),
    unread: Type.Optional(flag('`true` marks the chat as unread, `false` as read, without telling the writers')),
    expiresInSeconds: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        enum: [...timers, null],
        description: 'Timer of disappearing messages, of 1, 7 or 90 days; null: messages stay',
        errorMessage: 'must be 0, 86400, 604800, 7776000 or null',
      }),
    ),
  },
  { title: 'UpdateChat' },
);

export const ChatAnswer = answer({ chat: ChatSchema });
