/** Sends: one operation for each kind of message (docs/spec/messages.md, Sending and Uploads). */
import { ok } from '../wire/build.ts';
import {
  UploadedSchema,
  SendAudioSchema,
  SendContactSchema,
  SendDocumentSchema,
  SendLocationSchema,
  SendMediaSchema,
  SendPollSchema,
  SendStickerSchema,
  SendTextSchema,
  SendVideoSchema,
} from '../schemas/messages/send.ts';
import { fileIn } from '../body/file-body.ts';
import { operation } from '../wire/operation.ts';
import { sending, sent } from './sent.ts';
import { mediaLimit } from '../body/body.ts';
import { sentMedia } from './media-source.ts';
import { checkFileName } from '../../domain/messages/file-names.ts';

export const sendText = operation({
  id: 'sendText',
  method: 'POST',
  path: '/devices/{id}/messages/text',
  tag: 'Messages',
  summary: 'Send a text message',
  description:
    'Answers once the network has accepted the message. With `linkPreview` the title, description and picture of the first link are fetched first, within 5 seconds; what cannot be had is left out.',
  ...sending,
  body: {
    schema: SendTextSchema,
    examples: {
      toNumber: { toNumber: '4915112345678', message: 'Hello' },
      toGroup: { to: '120363025246125486@g.us', message: 'Hello, all' },
      preview: { toNumber: '4915112345678', message: 'See https://example.com', linkPreview: true },
      reply: { toNumber: '4915112345678', message: 'Yes, at noon', quotedMessageId: '3EB0C767D82C0A1B6F43' },
    },
  },
  run: (call) => sent(call, call.body, { kind: 'text', text: call.body.message }, call.body.linkPreview),
});

export const sendMedia = operation({
  id: 'sendMedia',
  method: 'POST',
  path: '/devices/{id}/messages/media',
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
  run: (call) => sentMedia(call, 'media', call.body, { kind: 'image' }),
});

export const sendDocument = operation({
  id: 'sendDocument',
  method: 'POST',
  path: '/devices/{id}/messages/document',
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
  run(call) {
    const { fileName = null, mimetype = null } = call.body;
    if (fileName !== null) checkFileName(fileName);
    // Messages carry the type without parameters.
    const type = mimetype?.split(';', 1)[0]?.trim() ?? null;
    return sentMedia(call, 'document', call.body, { kind: 'document', fileName, mimetype: type });
  },
});

export const sendVideo = operation({
  id: 'sendVideo',
  method: 'POST',
  path: '/devices/{id}/messages/video',
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
  run: (call) => sentMedia(call, 'video', call.body, { kind: 'video', isGif: call.body.gif ?? false }),
});

export const sendAudio = operation({
  id: 'sendAudio',
  method: 'POST',
  path: '/devices/{id}/messages/audio',
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
  run: (call) => sentMedia(call, 'audio', call.body, { kind: 'audio', isVoice: call.body.voice ?? false }),
});

export const sendSticker = operation({
  id: 'sendSticker',
  method: 'POST',
  path: '/devices/{id}/messages/sticker',
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
  run: (call) => sentMedia(call, 'sticker', call.body, { kind: 'sticker' }),
});

export const sendLocation = operation({
  id: 'sendLocation',
  method: 'POST',
  path: '/devices/{id}/messages/location',
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
  async run(call) {
    const { latitude, longitude, name = null, address = null } = call.body;
    return sent(call, call.body, { kind: 'location', location: { latitude, longitude, name, address } });
  },
});

export const sendContact = operation({
  id: 'sendContact',
  method: 'POST',
  path: '/devices/{id}/messages/contact',
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
  async run(call) {
    const contacts = call.body.contacts.map(({ organization = null, ...contact }) => ({ ...contact, organization }));
    return sent(call, call.body, { kind: 'contact', contacts });
  },
});

export const sendPoll = operation({
  id: 'sendPoll',
  method: 'POST',
  path: '/devices/{id}/messages/poll',
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
  async run(call) {
    const { question, options, maxAnswers = 1 } = call.body;
    return sent(call, call.body, { kind: 'poll', poll: { question, options, maxAnswers } });
  },
});

export const uploadFile = operation({
  id: 'uploadFile',
  method: 'POST',
  path: '/devices/{id}/files',
  tag: 'Messages',
  summary: 'Upload a file to send',
  description:
    'The body is the file, or a form (multipart/form-data) with one file, up to `HANDSET_MAX_MEDIA_MB` (100 MB). It may take as long as it comes with 32 kB a second. The id in the answer is the `fileId` of any number of sends by this device, for an hour.',
  takesFile: true,
  answer: UploadedSchema,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500, 503],
  async run({ parts, scope, request }) {
    const { uploads } = parts;
    const { 'content-type': type = '', 'content-length': length = 0 } = request.headers;
    // A form is longer than its file.
    const announced = /^multipart\//i.test(type) ? 0 : Number(length);
    const upload = { userId: scope.userId, deviceId: scope.id, deadline: request.deadline!, announced };
    const { id, bytes, mimetype, expiresAt } = await uploads.add(upload, () =>
      fileIn(request, parts.clock, uploads.maxBytes),
    );
    return {
      file: { id, bytes, mimetype, expiresAt: new Date(expiresAt).toISOString() },
      status: ok('File uploaded'),
    };
  },
});
