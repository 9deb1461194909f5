/** Scheduled messages (docs/spec/messages.md, Sends at a time). */
import { Type } from 'typebox';
import { answer, members, nullableInteger, nullableText, oneOf, timestamp, timestampMember } from '../build.ts';
import { nextCursor } from './page.ts';

const kinds = [
  'text',
  'image',
  'document',
  'video',
  'audio',
  'sticker',
  'location',
  'contact',
  'poll',
  'album',
  'forward',
] as const;

const ScheduledMessageSchema = Type.Object(
  {
    messageId: Type.String({ description: 'The id that the message will have', examples: ['3EB0C767D82C0A1B6F43'] }),
    to: Type.String({ description: 'JID of the recipient' }),
    toNumber: nullableText({ description: 'As given; null where `to` was given' }),
    type: oneOf(kinds),
    text: nullableText({ description: 'Text, caption, question of a poll, or name of a place or contact' }),
    mediaUrl: nullableText({ description: 'Fetched when it is sent' }),
    fileBytes: nullableInteger({
      description: 'Length of the file, or of the files of an album, that is kept until then',
    }),
    sendAt: timestamp('When it is sent'),
    sendUntil: timestamp('How long a device that is away is waited for'),
    createdAt: timestamp('When it was asked for'),
    attempts: Type.Integer({ description: 'Attempts to send it that have failed, or are under way' }),
    sending: Type.Boolean({
      description: 'An attempt is under way, or its outcome is unknown: it can no longer be changed or cancelled',
    }),
  },
  { title: 'ScheduledMessage' },
);

export const ScheduledListSchema = answer({ scheduled: Type.Array(ScheduledMessageSchema), nextCursor });

export const ScheduledSchema = answer({ scheduled: ScheduledMessageSchema });

export const RescheduleSchema = members(
  {
    sendAt: Type.Optional(timestampMember('The new time, within 90 days')),
    sendUntil: Type.Optional(
      timestampMember('How long a device that is away is waited for; as long after `sendAt` as before if omitted'),
    ),
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'The new text, or the new caption (at most 1,024 characters)',
        errorMessage: 'must be a string of 1 to 65,536 characters',
      }),
    ),
  },
  { title: 'ChangeScheduledMessage' },
);
