/** Statuses: posts, viewers and events (docs/spec/statuses.md). */
import { Type } from 'typebox';
import {
  answer,
  flag,
  members,
  nullable,
  nullableInteger,
  nullableText,
  nullableTimestamp,
  oneOf,
  timestamp,
  visibleText,
} from '../build.ts';
import { messageTypes } from '../../domain/messages/parts.ts';
import { author, MediaSchema } from './messages/message.ts';
import { PersonSchema } from './messages/parts.ts';
import { anyMedia } from './messages/send-media.ts';
import { limitParameter, nextCursor, pageParameters } from './page.ts';

const shown = {
  id: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
  ...author,
  timestamp: timestamp('When it was posted'),
  type: oneOf(messageTypes),
  text: nullableText({ description: 'Text or caption' }),
  media: nullable(MediaSchema),
  background: nullableText({ description: 'Colour behind a text, `#rrggbb`; null where none was told' }),
  font: nullableInteger({ description: 'Number of the font of a text' }),
};

const StatusPostSchema = Type.Object(
  {
    ...shown,
    own: Type.Boolean({ description: 'Posted by the account itself, here or on its phone' }),
    recipients: nullableInteger({
      description: 'Number of people whom an own status went to; null where it was not posted here',
    }),
    expiresAt: timestamp('When the apps stop showing it: a day after it was posted'),
    deletedAt: nullableTimestamp('When its author deleted it'),
  },
  { title: 'StatusPost' },
);

export const StatusListSchema = answer({ statuses: Type.Array(StatusPostSchema), nextCursor });

export const statusListParameters = members({
  ...pageParameters,
  own: Type.Optional(flag('True: those of the account itself; false: those of others')),
});

export const viewersParameters = members({ limit: Type.Optional(limitParameter), cursor: pageParameters.cursor });

const ViewerSchema = Type.Object(
  {
    person: PersonSchema,
    deliveredAt: nullableTimestamp('When it came to a device of the person'),
    viewedAt: nullableTimestamp('When the person looked at it; null for those who give no read receipts, too'),
    reaction: nullableText({ description: 'The emoji of a like' }),
  },
  { title: 'StatusViewer' },
);

export const ViewersSchema = answer({ viewers: Type.Array(ViewerSchema), nextCursor });

export const PostedSchema = answer({
  statusId: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
  recipients: Type.Integer({ description: 'Number of people whom it went to', examples: [120] }),
  expiresAt: timestamp('When the apps stop showing it'),
});

const people = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 1_000, description });

const audience = Type.Unsafe<'contacts' | { only?: string[]; except?: string[] }>({
  type: ['string', 'object'],
  pattern: '^contacts$',
  maxLength: 8,
  properties: {
    only: people('These people of the address book'),
    except: people('Everybody in the address book but these'),
  },
  additionalProperties: false,
  description:
    'Who sees it, people as phone numbers or JIDs: `contacts` for everybody in the address book of the account, or an object with one of `only` and `except`. By default as the owner has chosen on the phone. People who are in no address book never see it',
  errorMessage: 'must be "contacts", or an object with one of only and except: 1 to 1,000 phone numbers or JIDs',
  examples: [{ only: ['4915112345678'] }],
});

export const PostStatusSchema = members(
  {
    type: Type.Optional(
      oneOf(['text', 'image', 'video', 'voice'], {
        description: '`text` by default; else a file is given',
        errorMessage: 'must be one of text, image, video, voice',
      }),
    ),
    text: Type.Optional(
      visibleText(700, { description: 'The text of a status without a file, at most 700 characters' }),
    ),
    background: Type.Optional(
      Type.String({
        maxLength: 7,
        pattern: '^#[0-9a-fA-F]{6}$',
        description: 'Colour behind the text, like `#1f7aec`',
        errorMessage: 'must be a colour like #1f7aec',
        examples: ['#1f7aec'],
      }),
    ),
    font: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 10,
        description: 'Number of the font of the text, as the apps have them',
        errorMessage: 'must be a whole number from 0 to 10',
      }),
    ),
    ...anyMedia('file', ', at most `HANDSET_MAX_MEDIA_MB`'),
    mediaCaption: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Caption of an image or a video, at most 1,024 characters',
        errorMessage: 'must be a string of at most 1,024 characters',
      }),
    ),
    audience: Type.Optional(audience),
  },
  { title: 'PostStatus' },
);

export const StatusReactionSchema = members(
  {
    reaction: nullableText({
      minLength: 1,
      maxLength: 64,
      description: 'One emoji; null takes it back',
      errorMessage: 'must be one emoji, or null',
    }),
  },
  { title: 'StatusReaction' },
);

const StatusDataSchema = Type.Object(shown, { title: 'StatusData' });

export const statusEventData = {
  'status.received': {
    when: 'A contact has posted a status, where the setting `statuses` is `received`',
    data: Type.Object({ status: StatusDataSchema }),
  },
  'status.deleted': {
    when: 'A contact has deleted a status, where the setting `statuses` is `received`',
    data: Type.Object({ statusId: Type.String(), by: PersonSchema }),
  },
  'status.viewed': {
    when: 'Somebody has looked at a status of the account, or liked it, where the setting `statuses` is `received`',
    data: Type.Object({
      statusId: Type.String(),
      by: PersonSchema,
      reaction: Type.Optional(nullableText({ description: 'Of a like: its emoji; null when it was taken back' })),
    }),
  },
};
