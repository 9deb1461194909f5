/** Sends: one operation for each kind of message (docs/spec/messages.md, Sending and Uploads). */
import * as declared from '../../contract/operations/sends.ts';
import { sent } from './sent.ts';
import { handle } from '../wire/operation.ts';
import { sentAlbum, sentMedia } from './media-source.ts';
import { checkFileName } from '../../domain/messages/file-names.ts';
import { fileIn } from '../body/file-body.ts';
import { ok } from '../wire/values.ts';
import { invalidRequest } from '../../errors.ts';

const onceOf = ({ viewOnce = false }: { readonly viewOnce?: boolean | undefined }) => (viewOnce ? { viewOnce } : {});

export const sendText = handle(declared.sendText, (call) =>
  sent(call, call.body, { kind: 'text', text: call.body.message }, call.body.linkPreview),
);

export const sendMedia = handle(declared.sendMedia, (call) =>
  sentMedia(call, 'media', call.body, { kind: 'image', ...onceOf(call.body) }),
);

export const sendDocument = handle(declared.sendDocument, (call) => {
  const { fileName = null, mimetype = null } = call.body;
  if (fileName !== null) checkFileName(fileName);
  const type = mimetype?.split(';', 1)[0]?.trim() ?? null;
  return sentMedia(call, 'document', call.body, { kind: 'document', fileName, mimetype: type });
});

export const sendVideo = handle(declared.sendVideo, async (call) => {
  const { gif: isGif = false, note: isNote = false, mediaCaption } = call.body;
  if (isNote && isGif) throw invalidRequest('note must be false with gif');
  if (isNote && mediaCaption)
    throw invalidRequest('mediaCaption must not be given with note: a video note has no caption');
  const file = { kind: 'video', isGif, ...(isNote && { isNote }), ...onceOf(call.body) } as const;
  return sentMedia(call, 'video', call.body, file);
});

export const sendAudio = handle(declared.sendAudio, (call) =>
  sentMedia(call, 'audio', call.body, { kind: 'audio', isVoice: call.body.voice ?? false, ...onceOf(call.body) }),
);

export const sendAlbum = handle(declared.sendAlbum, (call) => sentAlbum(call, call.body));

export const sendSticker = handle(declared.sendSticker, (call) =>
  sentMedia(call, 'sticker', call.body, { kind: 'sticker' }),
);

export const sendLocation = handle(declared.sendLocation, async (call) => {
  const { latitude, longitude, name = null, address = null } = call.body;
  return sent(call, call.body, { kind: 'location', location: { latitude, longitude, name, address } });
});

export const sendContact = handle(declared.sendContact, async (call) => {
  const contacts = call.body.contacts.map(({ organization = null, ...contact }) => ({ ...contact, organization }));
  return sent(call, call.body, { kind: 'contact', contacts });
});

export const sendPoll = handle(declared.sendPoll, async (call) => {
  const { question, options, maxAnswers = 1 } = call.body;
  return sent(call, call.body, { kind: 'poll', poll: { question, options, maxAnswers } });
});

export const uploadFile = handle(declared.uploadFile, async ({ services, scope, request }) => {
  const { uploads } = services;
  const { 'content-type': type = '', 'content-length': length = 0 } = request.headers;
  // A form is longer than its file.
  const announced = /^multipart\//i.test(type) ? 0 : Number(length);
  const upload = { scope, deadline: request.deadline!, announced };
  const { id, bytes, mimetype, expiresAt } = await uploads.add(upload, () =>
    fileIn(request, services.clock, uploads.maxBytes),
  );
  return {
    file: { id, bytes, mimetype, expiresAt: new Date(expiresAt).toISOString() },
    status: ok('File uploaded'),
  };
});
