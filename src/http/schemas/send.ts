/** Bodies and answer of the two sends (docs/spec/messages.md, Send text and Send media). */
import { Type } from 'typebox';
import { members } from './build.ts';

const recipient = {
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
      errorMessage: 'must be 8 to 15 digits, country code included',
      examples: ['4915112345678'],
    }),
  ),
};

export const SendTextSchema = members(
  {
    ...recipient,
    message: Type.String({
      minLength: 1,
      maxLength: 65_536,
      description: 'The text to send, 1 to 65,536 characters',
      errorMessage: 'must be a string of 1 to 65,536 characters',
    }),
  },
  { title: 'SendText' },
);

export const SendMediaSchema = members(
  {
    ...recipient,
    mediaUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'URL of the image. Exactly one of `mediaUrl` and `mediaBase64`',
        errorMessage: 'must be a URL of at most 2,048 characters',
      }),
    ),
    mediaBase64: Type.Optional(
      Type.String({
        description:
          'The image in base64, or as a base64 data URL; at most 10,485,760 bytes decoded. Exactly one of `mediaUrl` and `mediaBase64`',
        errorMessage: 'must be a string in base64',
      }),
    ),
    mediaCaption: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Caption, at most 1,024 characters',
        errorMessage: 'must be a string of at most 1,024 characters',
      }),
    ),
  },
  { title: 'SendMedia' },
);

export const SentSchema = Type.Object(
  {
    status: Type.Unsafe<'success'>({ type: 'string', enum: ['success'] }),
    messageId: Type.String({ examples: ['3EB0C767D82C0A1B6F43'] }),
  },
  { title: 'Sent', additionalProperties: false },
);
