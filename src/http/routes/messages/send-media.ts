/** `POST /devices/{id}/messages/media` (docs/spec/messages.md, Send media): images only. */
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { sentMedia } from './media-source.ts';
import { SendMediaSchema } from '../../schemas/messages/send.ts';
import { sending } from './sending.ts';

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
  run: (call) => sentMedia(call, 'media', call.body, null),
});
