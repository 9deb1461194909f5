/** The members that name the recipient of a send (docs/spec/messages.md, Recipient). */
import { Type } from 'typebox';
import { usernameRule } from '../../../domain/chats/usernames.ts';
import { numberRule } from '../../../domain/jid.ts';

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
