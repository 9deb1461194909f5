/** `POST /devices/{id}/messages/video` (docs/spec/messages.md, Send a video). */
import { SendVideoSchema } from '../../schemas/messages/send.ts';
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { sentMedia } from './media-source.ts';
import { sending } from './sending.ts';

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
