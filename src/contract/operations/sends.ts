/** Sends: one operation for each kind of message (docs/spec/messages.md, Sending and Uploads). */
import { sending } from './sent.ts';
import {
  SendContactSchema,
  SendLocationSchema,
  SendPollSchema,
  SendTextSchema,
  SentAlbumSchema,
} from '../schemas/messages/send.ts';
import {
  SendAlbumSchema,
  SendAudioSchema,
  SendDocumentSchema,
  SendMediaSchema,
  SendStickerSchema,
  SendVideoSchema,
  UploadedSchema,
} from '../schemas/messages/send-media.ts';
import { imageErrors } from '../errors.ts';
import { changes, declare, mediaLimit } from '../operation.ts';

/** Sends that channels take as well. */
const toChannels = ['channelNotWritable'] as const;

export const sendText = declare({
  id: 'sendText',
  method: 'POST',
  path: '/devices/{id}/messages/text',
  command: 'send text <device> <to> <message>',
  client: 'messages.sendText',
  tool: {
    name: 'send_text',
    takes: ['to', 'message', 'linkPreview', 'mentionAll', 'quotedMessageId', 'sendAt'],
  },
  since: '0.1.0',
  tag: 'Messages',
  summary: 'Send a text message',
  description:
    'Answers once the network has accepted the message. With `linkPreview` the title, description and picture of the first link are fetched first, within 5 seconds; what cannot be fetched is left out.',
  ...sending,
  body: {
    schema: SendTextSchema,
    examples: {
      toNumber: { toNumber: '4915112345678', message: 'Hello' },
      toGroup: { to: '120363025246125486@g.us', message: 'Hello, all' },
      mentionAll: { to: '120363025246125486@g.us', message: '@all The train leaves at nine', mentionAll: true },
      preview: { toNumber: '4915112345678', message: 'See https://example.com', linkPreview: true },
      reply: { toNumber: '4915112345678', message: 'Yes, at noon', quotedMessageId: '3EB0C767D82C0A1B6F43' },
    },
  },
  errors: ['unknownField', ...toChannels],
});

export const sendMedia = declare({
  id: 'sendMedia',
  method: 'POST',
  path: '/devices/{id}/messages/media',
  command: 'send image <device> <to> <image>',
  client: 'messages.sendMedia',
  since: '0.1.0',
  tag: 'Messages',
  summary: 'Send an image',
  description:
    'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendMediaSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/cat.png', mediaCaption: 'A cat' },
      byBase64: { to: '120363025246125486@g.us', mediaBase64: 'iVBORw0KGgo=' },
    },
  },
  errors: [...imageErrors, ...toChannels],
});

export const sendDocument = declare({
  id: 'sendDocument',
  method: 'POST',
  path: '/devices/{id}/messages/document',
  command: 'send document <device> <to> <document>',
  client: 'messages.sendDocument',
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send a file of any kind',
  description:
    'By URL up to `HANDSET_MAX_MEDIA_MB` (100 MB), or in base64 up to 10 MB. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendDocumentSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/report.pdf', mediaCaption: 'The report' },
      byBase64: { toNumber: '4915112345678', mediaBase64: 'SGVsbG8K', fileName: 'hello.txt' },
    },
  },
  errors: ['notThatKind', ...toChannels],
});

export const sendVideo = declare({
  id: 'sendVideo',
  method: 'POST',
  path: '/devices/{id}/messages/video',
  command: 'send video <device> <to> <video>',
  client: 'messages.sendVideo',
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send a video',
  description:
    'MP4 with H.264 and AAC, by its bytes; other forms are converted if the service has ffmpeg. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendVideoSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/cat.mp4', mediaCaption: 'A cat' },
      gif: { toNumber: '4915112345678', mediaUrl: 'https://example.com/wave.mp4', gif: true },
    },
  },
  errors: toChannels,
});

export const sendAudio = declare({
  id: 'sendAudio',
  method: 'POST',
  path: '/devices/{id}/messages/audio',
  command: 'send audio <device> <to> <audio>',
  client: 'messages.sendAudio',
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send audio or a voice message',
  description:
    'MP3, M4A, AAC or Ogg with Opus; a voice message is Ogg with Opus in one channel, by its bytes. Other forms are converted if the service has ffmpeg. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendAudioSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/song.mp3' },
      voice: { toNumber: '4915112345678', mediaUrl: 'https://example.com/hello.ogg', voice: true },
    },
  },
  errors: toChannels,
});

export const sendAlbum = declare({
  id: 'sendAlbum',
  method: 'POST',
  path: '/devices/{id}/messages/album',
  command: 'send album <device> <to>',
  client: 'messages.sendAlbum',
  since: '0.4.0',
  tag: 'Messages',
  summary: 'Send an album of images and videos',
  description:
    'All files are uploaded before the first message leaves. The album and each of its files are messages of their own. If some of them fail, the error names them, and a repeat with the same `Idempotency-Key` sends only those.',
  ...sending,
  answer: SentAlbumSchema,
  body: {
    schema: SendAlbumSchema,
    limit: mediaLimit,
    examples: {
      two: {
        toNumber: '4915112345678',
        items: [
          { mediaUrl: 'https://example.com/cat.png', mediaCaption: 'A cat' },
          { mediaUrl: 'https://example.com/cat.mp4' },
        ],
      },
    },
  },
  errors: [...imageErrors, 'fileUnknown', 'albumIncomplete', 'sendMediaFailed'],
});

export const sendSticker = declare({
  id: 'sendSticker',
  method: 'POST',
  path: '/devices/{id}/messages/sticker',
  command: 'send sticker <device> <to> <sticker>',
  client: 'messages.sendSticker',
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send a sticker',
  description:
    'WebP is sent as it is, at most 100 kB, or 500 kB if it is animated; PNG, JPEG and GIF are drawn as WebP of 512 by 512 pixels. Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendStickerSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/cat.webp' },
    },
  },
  errors: toChannels,
});

export const sendLocation = declare({
  id: 'sendLocation',
  method: 'POST',
  path: '/devices/{id}/messages/location',
  command: 'send location <device> <to> <latitude> <longitude>',
  client: 'messages.sendLocation',
  tool: {
    name: 'send_location',
    takes: ['to', 'latitude', 'longitude', 'name', 'address', 'quotedMessageId', 'sendAt'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send a location',
  description: 'Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendLocationSchema,
    examples: {
      toNumber: {
        toNumber: '4915112345678',
        latitude: 52.5163,
        longitude: 13.3777,
        name: 'Brandenburg Gate',
        address: 'Pariser Platz, Berlin',
      },
    },
  },
});

export const sendContact = declare({
  id: 'sendContact',
  method: 'POST',
  path: '/devices/{id}/messages/contact',
  command: 'send contact <device> <to> <name> <number>',
  client: 'messages.sendContact',
  tool: {
    name: 'send_contact',
    takes: ['to', 'contacts', 'quotedMessageId', 'sendAt'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send contacts',
  description: 'Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendContactSchema,
    examples: {
      toNumber: {
        toNumber: '4915112345678',
        contacts: [{ name: 'Grace Hopper', numbers: ['4915550002222'], organization: 'Navy' }],
      },
    },
  },
});

export const sendPoll = declare({
  id: 'sendPoll',
  method: 'POST',
  path: '/devices/{id}/messages/poll',
  command: 'send poll <device> <to> <question>',
  client: 'messages.sendPoll',
  tool: {
    name: 'send_poll',
    takes: ['to', 'question', 'options', 'maxAnswers', 'quotedMessageId', 'sendAt'],
  },
  since: '0.3.0',
  tag: 'Messages',
  summary: 'Send a poll',
  description: 'Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendPollSchema,
    examples: {
      toGroup: { to: '120363025246125486@g.us', question: 'Where to?', options: ['Lisbon', 'Oslo'], maxAnswers: 1 },
    },
  },
  errors: toChannels,
});

export const uploadFile = declare({
  id: 'uploadFile',
  method: 'POST',
  path: '/devices/{id}/files',
  command: null,
  client: null,
  ...changes('0.3.0', 'send'),
  tag: 'Messages',
  summary: 'Upload a file to send',
  description:
    'The body is the file, or a form (multipart/form-data) with one file, up to `HANDSET_MAX_MEDIA_MB` (100 MB). It may take any time, as long as at least 32 kB arrive per second. The id in the answer is the `fileId` of any number of sends by this device, for an hour.',
  takesFile: true,
  answer: UploadedSchema,
  atOwner: true,
  errors: ['fileEmpty', 'uploadBudgetExceeded'],
});
