/** Bodies of the sends of files, and the answer of an upload (docs/spec/messages.md). */
import { Type } from 'typebox';
import { albumSize } from '../../../domain/messages/outgoing.ts';
import { answer, flag, members, timestamp } from '../../build.ts';
import { references, sendTimes, recipient } from './send.ts';

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

export const anyMedia = (what: string, most = '') => {
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

const viewOnce = Type.Optional(
  flag(
    'The recipient can open it once. It cannot be forwarded, and nothing of the file is kept once the network has accepted it; false if omitted',
  ),
);

export const SendMediaSchema = members(
  { ...recipient, ...anyMedia('image'), mediaCaption, viewOnce, ...references, ...sendTimes },
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
    ...sendTimes,
  },
  { title: 'SendDocument' },
);

export const SendVideoSchema = members(
  {
    ...recipient,
    ...anyMedia('video', most),
    mediaCaption,
    gif: Type.Optional(flag('Shown without sound, again and again; false if omitted')),
    note: Type.Optional(
      flag(
        'A video note, which is shown round: of at most 60 seconds, without a caption. What is not square is cropped if the service has ffmpeg; false if omitted',
      ),
    ),
    viewOnce,
    ...references,
    ...sendTimes,
  },
  { title: 'SendVideo' },
);

export const SendAudioSchema = members(
  {
    ...recipient,
    ...anyMedia('audio', most),
    voice: Type.Optional(flag('Sent as a voice message, with its waveform; false if omitted')),
    viewOnce,
    quotedMessageId: references.quotedMessageId,
    ...sendTimes,
  },
  { title: 'SendAudio' },
);

export const SendStickerSchema = members(
  { ...recipient, ...anyMedia('sticker'), quotedMessageId: references.quotedMessageId, ...sendTimes },
  { title: 'SendSticker' },
);

const albumWays = '`mediaUrl`, `mediaBase64` and `fileId`';

export const SendAlbumSchema = members(
  {
    ...recipient,
    items: Type.Array(
      members({
        ...media('image or video', most, albumWays),
        fileId: anyMedia('image or video').fileId,
        mediaCaption,
      }),
      {
        minItems: albumSize.min,
        maxItems: albumSize.max,
        description: `The images and videos, ${albumSize.min} to ${albumSize.max}, in their order`,
        errorMessage: `must be ${albumSize.min} to ${albumSize.max} items {mediaUrl | mediaBase64 | fileId, mediaCaption?}, captions of at most 1,024 characters`,
      },
    ),
    quotedMessageId: references.quotedMessageId,
    ...sendTimes,
  },
  { title: 'SendAlbum' },
);

export const UploadedSchema = answer({
  file: Type.Object(
    {
      id: Type.String({ description: 'For the `fileId` of a send', examples: ['file_Yk3mX0c2TqK6nq9bB1x7Wg'] }),
      bytes: Type.Integer({ examples: [52428800] }),
      mimetype: Type.String({ description: 'Recognised by its bytes and its name', examples: ['application/pdf'] }),
      expiresAt: timestamp('Until then it can be sent any number of times'),
    },
    { title: 'UploadedFile' },
  ),
});
