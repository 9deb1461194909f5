/** Bodies and answers of changes to an earlier message (docs/spec/messages.md). */
import { members, flag, answer, nullableText } from '../build.ts';
import { Type } from 'typebox';
import { chatParameter } from './chat.ts';
import { MessageSchema } from './messages/message.ts';
import { sendTimes, recipient } from './messages/send.ts';

export const ofChat = members({
  chat: Type.Optional(
    Type.Unsafe<string>({
      ...chatParameter,
      description:
        'The chat, if several have a message with this id: a JID, or the digits of a phone number; the older message if omitted',
    }),
  ),
});

export const ofDeletion = members({
  ...ofChat.properties,
  forMe: Type.Optional(flag('`true`: on this account only')),
});

export const ChangedSchema = answer({ message: MessageSchema });

export const EditSchema = members(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The new text, or the new caption (at most 1,024 characters)',
      errorMessage: 'must be a string of 1 to 65,536 characters',
    }),
  },
  { title: 'EditMessage' },
);

export const ReactionSchema = members(
  {
    reaction: nullableText({
      maxLength: 64,
      description: 'One emoji, or null',
      errorMessage: 'must be one emoji, or null',
    }),
  },
  { title: 'SetReaction' },
);

const durations = [86_400, 604_800, 2_592_000];

export const PinSchema = members(
  {
    pinned: Type.Boolean({ errorMessage: 'must be true or false' }),
    seconds: Type.Optional(
      Type.Unsafe<number>({
        type: 'integer',
        enum: durations,
        description: 'For how long: 86,400, 604,800 (if omitted) or 2,592,000',
        errorMessage: 'must be 86400, 604800 or 2592000',
      }),
    ),
  },
  { title: 'SetPin' },
);

export const StarSchema = members(
  { starred: Type.Boolean({ errorMessage: 'must be true or false' }) },
  { title: 'SetStar' },
);

export const ForwardSchema = members({ ...recipient, ...sendTimes }, { title: 'ForwardMessage' });
