/** `POST /devices/{id}/messages/sticker` (docs/spec/messages.md, Send a sticker). */
import { SendStickerSchema } from '../../schemas/messages/send.ts';
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { sentMedia } from './media-source.ts';
import { sending } from './sending.ts';

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
