/** `POST /devices/{id}/messages/video` (docs/spec/messages.md, Send a video). */
import { SendVideoSchema, SentSchema } from '../../schemas/messages/send.ts';
import { mediaLimit } from '../../server/body.ts';
import { operation } from '../../server/operation.ts';
import { sentMedia } from './media-source.ts';
import { idempotencyHeader } from './sent.ts';

export const sendVideo = operation({
  id: 'sendVideo',
  method: 'POST',
  path: '/devices/{id}/messages/video',
  tag: 'Messages',
  summary: 'Send a video',
  description:
    'MP4 with H.264 and AAC, by its bytes; other forms are converted if the service has ffmpeg. Answers once the network has accepted the message.',
  headers: idempotencyHeader,
  body: {
    schema: SendVideoSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/cat.mp4', mediaCaption: 'A cat' },
      gif: { toNumber: '4915112345678', mediaUrl: 'https://example.com/wave.mp4', gif: true },
    },
  },
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  run: (call) => sentMedia(call, 'video', call.body, { kind: 'video', isGif: call.body.gif ?? false }),
});
