/** Profiles, look-ups and changes of people and chats (docs/spec/conversation.md). */
import { numberRule } from '../../domain/jid.ts';
import { type Static, Type } from 'typebox';
import type { ChatPatch } from '../../service/conversation/conversations.ts';
import { invalidRequest } from '../../errors.ts';
import { timestampMember, answer, members, nullableText, nullableTimestamp, flag } from '../wire/build.ts';
import { ChatSchema, ContactSchema } from './chat.ts';

const ProfileSchema = Type.Object(
  {
    jid: Type.String(),
    number: Type.String(),
    lid: nullableText(),
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
      Type.String({
        minLength: 1,
        maxLength: 25,
        pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
        description: 'The name that others see, 1 to 25 characters',
        errorMessage: 'must be a string of 1 to 25 characters, not only blanks',
      }),
    ),
    about: Type.Optional(
      Type.String({
        maxLength: 139,
        pattern: '^[^\\u0000]*$',
        description: 'At most 139 characters; empty: none',
        errorMessage: 'must be a string of at most 139 characters',
      }),
    ),
    aboutExpiresAt: Type.Optional(
      timestampMember('When `about`, which is required then, ends: within a year. Never by default'),
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
    errorMessage: 'must be 1 to 20 phone numbers in digits, separated by commas',
  }),
});

/** Throws InvalidRequest. */
export const numbersIn = (text: string, most: number): readonly string[] => {
  const numbers = text.split(',').map((number) => number.trim());
  if (numbers.length > most) throw invalidRequest(`numbers must be at most ${most} phone numbers`);
  const wrong = numbers.find((number) => !/^\d{8,15}$/.test(number));
  if (wrong === undefined) return numbers;
  throw invalidRequest(`numbers must be separated by commas, each ${numberRule}`);
};

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

export const UpdateContactSchema = members(
  {
    blocked: Type.Optional(flag('Whether the account has blocked the person')),
    name: Type.Optional(
      nullableText({
        minLength: 1,
        maxLength: 100,
        pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
        description: 'The name in the address book of the account; null removes the person from it',
        errorMessage: 'must be a string of 1 to 100 characters, or null',
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
    unread: Type.Optional(flag('`true` marks the chat as unread, `false` as read, without telling the writers')),
    expiresInSeconds: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        enum: [...timers, null],
        description: 'Timer of disappearing messages: 86,400, 604,800 or 7,776,000; 0 or null: messages stay',
        errorMessage: 'must be 0, 86400, 604800, 7776000 or null',
      }),
    ),
  },
  { title: 'UpdateChat' },
);

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Throws InvalidRequest for an invalid or past time. */
export const chatPatchIn = (
  { mutedUntil, expiresInSeconds, ...flags }: Readonly<Static<typeof UpdateChatSchema>>,
  now: number,
): ChatPatch => {
  const timer = expiresInSeconds === undefined ? {} : { expiresInSeconds: expiresInSeconds ?? 0 };
  if (mutedUntil === undefined) return { ...flags, ...timer };
  if (mutedUntil === null || mutedUntil === 'always') return { ...flags, ...timer, mutedUntil };
  const until = rfc3339.test(mutedUntil) ? Date.parse(mutedUntil) : Number.NaN;
  if (Number.isNaN(until)) throw invalidRequest('mutedUntil must be a time in RFC 3339, "always", or null');
  if (until <= now) throw invalidRequest('mutedUntil must be in the future; null ends a mute');
  return { ...flags, ...timer, mutedUntil: until };
};

export const ChatAnswer = answer({ chat: ChatSchema });
