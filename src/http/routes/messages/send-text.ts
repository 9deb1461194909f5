/** `POST /devices/{id}/messages/text` (docs/spec/messages.md, Send text). */
import { parseRecipient } from '../../../domain/recipient.ts';
import { idempotencyHeader, idempotencyOf } from '../../admission/idempotency.ts';
import { operation } from '../../server/operation.ts';
import { SendTextSchema, SentSchema } from '../../schemas/send.ts';

export const sendText = operation({
  id: 'sendText',
  method: 'POST',
  path: '/devices/{id}/messages/text',
  tag: 'Messages',
  summary: 'Send a text message',
  description: 'Answers once the network has accepted the message.',
  headers: idempotencyHeader,
  body: {
    schema: SendTextSchema,
    examples: {
      toNumber: { toNumber: '4915112345678', message: 'Hello' },
      toGroup: { to: '120363025246125486@g.us', message: 'Hello, all' },
    },
  },
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, body, request }) {
    const message = { recipient: parseRecipient(body.to, body.toNumber), text: body.message };
    const idempotency = idempotencyOf(request, 'text', body);
    const { messageId } = await parts.sending.sendText(
      caller.user.id,
      deviceId,
      message,
      idempotency,
      request.messageId ?? undefined,
    );
    return { status: 'success' as const, messageId };
  },
});
