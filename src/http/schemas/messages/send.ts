/** Bodies and answer of the sends (docs/spec/messages.md). */
import { numberRule } from '../../../domain/jid.ts';
import { Type } from 'typebox';
import { answer, flag, members, timestamp } from '../../wire/build.ts';

export const recipient = {
  to: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'JID: `<digits>@s.whatsapp.net`, `<digits>@lid` or `<id>@g.us`. Exactly one of `to` and `toNumber`',
      errorMessage: 'must be a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us',
      examples: ['120363025246125486@g.us'],
    }),
  ),
  toNumber: Type.Optional(
    Type.String({
      pattern: '^\\d{8,15}$',
      description: 'Phone number: 8 to 15 digits, country code included. Exactly one of `to` and `toNumber`',
      errorMessage: `must be ${numberRule}`,
      examples: ['4915112345678'],
    }),
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

const references = {
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
};

const text = (most: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: most,
    pattern: '\\S',
    description: `${description}, at most ${most.toLocaleString('en')} characters`,
    errorMessage: `must be a string of 1 to ${most.toLocaleString('en')} characters, not all blank`,
  });

const degrees = (most: number, description: string) =>
  Type.Number({
    minimum: -most,
    maximum: most,
    description: `${description} in degrees`,
    errorMessage: `must be a number from -${most} to ${most}`,
  });

export const SendLocationSchema = members(
  {
    ...recipient,
    latitude: degrees(90, 'Latitude'),
    longitude: degrees(180, 'Longitude'),
    name: Type.Optional(text(1_024, 'Name of the place')),
    address: Type.Optional(text(1_024, 'Address of the place')),
    ...references,
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
        errorMessage: `must be 1 to 20 contacts {name, numbers, organization?}, texts of 1 to 100 characters, with 1 to 10 numbers of ${numberRule}`,
      },
    ),
    ...references,
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
      errorMessage: 'must be 2 to 12 different strings of 1 to 100 characters',
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
  },
  { title: 'SendText' },
);

/** `what`: the file in descriptions; `most`: the limit by URL; `ways`: the members of which one is given. */
const media = (what: string, most = '', ways = '`mediaUrl` and `mediaBase64`') => ({
  mediaUrl: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: `URL of the ${what}${most}. Exactly one of ${ways}`,
      errorMessage: 'must be a URL of at most 2,048 characters',
    }),
  ),
  mediaBase64: Type.Optional(
    Type.String({
      description: `The ${what} in base64, or as a base64 data URL; at most 10,485,760 bytes decoded. Exactly one of ${ways}`,
      errorMessage: 'must be a string in base64',
    }),
  ),
});

/** Like `media`, and an uploaded file. */
const anyMedia = (what: string, most = '') => {
  const ways = '`mediaUrl`, `mediaBase64` and `fileId`';
  return {
    ...media(what, most, ways),
    fileId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: `Id of the uploaded ${what} (\`POST /devices/{id}/files\`)${most}. Exactly one of ${ways}`,
        errorMessage: 'must be the id that an upload answered',
        examples: ['file_Yk3mX0c2TqK6nq9bB1x7Wg'],
      }),
    ),
  };
};

const most = ', at most `HANDSET_MAX_MEDIA_MB`';

const mediaCaption = Type.Optional(
  Type.String({
    maxLength: 1024,
    description: 'Caption, at most 1,024 characters',
    errorMessage: 'must be a string of at most 1,024 characters',
  }),
);

export const SetPictureSchema = members(media('image'), { title: 'SetPicture' });

export const SendMediaSchema = members(
  { ...recipient, ...anyMedia('image'), mediaCaption, ...references },
  { title: 'SendMedia' },
);

export const SendDocumentSchema = members(
  {
    ...recipient,
    ...anyMedia('file', most),
    fileName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'Name of the file, without a path, at most 255 bytes of UTF-8; if omitted, by `Content-Disposition` or the last part of the URL',
        errorMessage: 'must be a string of 1 to 255 characters',
        examples: ['report.pdf'],
      }),
    ),
    mimetype: Type.Optional(
      Type.String({
        pattern: '^[\\w.+-]{1,127}/[\\w.+-]{1,127} ?(;.{0,200})?$',
        description: 'Media type of the file, sent without its parameters; by its bytes and its name if omitted',
        errorMessage: 'must be a media type like application/pdf',
        examples: ['application/pdf'],
      }),
    ),
    mediaCaption,
    ...references,
  },
  { title: 'SendDocument' },
);

export const SendVideoSchema = members(
  {
    ...recipient,
    ...anyMedia('video', most),
    mediaCaption,
    gif: Type.Optional(flag('Shown without sound, again and again; false if omitted')),
    ...references,
  },
  { title: 'SendVideo' },
);

export const SendAudioSchema = members(
  {
    ...recipient,
    ...anyMedia('audio', most),
    voice: Type.Optional(flag('Sent as a voice message, with its waveform; false if omitted')),
    quotedMessageId: references.quotedMessageId,
  },
  { title: 'SendAudio' },
);

export const SendStickerSchema = members(
  { ...recipient, ...anyMedia('sticker'), quotedMessageId: references.quotedMessageId },
  { title: 'SendSticker' },
);

export const UploadedSchema = answer({
  file: Type.Object(
    {
      id: Type.String({ description: 'For the `fileId` of a send', examples: ['file_Yk3mX0c2TqK6nq9bB1x7Wg'] }),
      bytes: Type.Integer({ examples: [52428800] }),
      mimetype: Type.String({ description: 'Recognised by its bytes and its name', examples: ['application/pdf'] }),
      expiresAt: timestamp('Until then it can be sent, as often as you like'),
    },
    { title: 'UploadedFile' },
  ),
});

export const SentSchema = Type.Object(
  {
    status: Type.Unsafe<'success'>({ type: 'string', enum: ['success'] }),
    messageId: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
  },
  { title: 'Sent', additionalProperties: false },
);
