/** `POST /devices/{id}/messages/media` (docs/spec/messages.md, Send media): images only. */
import { parseRecipient } from '../../../domain/recipient.ts';
import { invalidRequest } from '../../../errors.ts';
import { takeLargeMember } from '../../server/large-member.ts';
import { decodeBase64 } from '../../server/base64.ts';
import { mediaLimit } from '../../server/body.ts';
import { idempotencyHeader, idempotencyOf } from '../../admission/idempotency.ts';
import { operation } from '../../server/operation.ts';
import { SendMediaSchema, SentSchema } from '../../schemas/send.ts';

/** 10 MB after decoding (docs/spec/messages.md, Send media). */
const maxImageBytes = 10_485_760;

/** Exactly one of `mediaUrl` and `mediaBase64`. */
const sourceOf = (
  mediaUrl: string | undefined,
  mediaBase64: string | Buffer | undefined,
): { readonly url: string } | { readonly bytes: Uint8Array } => {
  if (mediaUrl !== undefined && mediaBase64 !== undefined) {
    throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given, not both');
  }
  if (mediaUrl !== undefined) return { url: mediaUrl };
  if (mediaBase64 !== undefined) return { bytes: decodeBase64(mediaBase64, maxImageBytes) };
  throw invalidRequest('Exactly one of mediaUrl and mediaBase64 must be given; both are missing');
};

export const sendMedia = operation({
  id: 'sendMedia',
  method: 'POST',
  path: '/devices/{id}/messages/media',
  tag: 'Messages',
  summary: 'Send an image',
  description:
    'PNG, JPEG, GIF or WebP, recognised by its bytes, at most 10 MB. Answers once the network has accepted the message.',
  headers: idempotencyHeader,
  body: {
    schema: SendMediaSchema,
    limit: mediaLimit,
    largeMember: 'mediaBase64',
    examples: {
      byUrl: { toNumber: '4915112345678', mediaUrl: 'https://example.com/cat.png', mediaCaption: 'A cat' },
      byBase64: { to: '120363025246125486@g.us', mediaBase64: 'iVBORw0KGgo=' },
    },
  },
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, body, request }) {
    const recipient = parseRecipient(body.to, body.toNumber);
    const mediaBase64 = takeLargeMember(body) ?? body.mediaBase64;
    const members = mediaBase64 === undefined ? body : { ...body, mediaBase64 };
    const idempotency = idempotencyOf(request, 'media', members);
    const source = sourceOf(body.mediaUrl, mediaBase64);
    const { quotedMessageId, mentions } = body;
    const references = { quotedMessageId, mentions };
    const message = {
      recipient,
      source,
      caption: body.mediaCaption || null,
      deadline: request.deadline!,
      ...references,
    };
    const { messageId } = await parts.sending.sendImage(
      caller.user.id,
      deviceId,
      message,
      idempotency,
      request.messageId ?? undefined,
    );
    return { status: 'success' as const, messageId };
  },
});
