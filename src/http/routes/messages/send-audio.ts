/** `POST /devices/{id}/messages/audio` (docs/spec/messages.md, Send audio). */
import { SendAudioSchema } from '../../schemas/messages/send.ts';
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { sentMedia } from './media-source.ts';
import { sending } from './sending.ts';

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
