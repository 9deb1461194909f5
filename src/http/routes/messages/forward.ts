/** `POST /devices/{id}/messages/{messageId}/forward` (docs/spec/messages.md, Forward). */
import { parseRecipient } from '../../../domain/jid.ts';
import { forward } from '../../../service/sending/earlier.ts';
import { ForwardSchema, ofChat } from '../../schemas/messages/change.ts';
import { SentSchema } from '../../schemas/messages/send.ts';
import { operation } from '../../server/operation.ts';
import { idempotencyHeader, sentOfEarlier } from './sent.ts';

export const forwardMessage = operation({
  id: 'forwardMessage',
  method: 'POST',
  path: '/devices/{id}/messages/{messageId}/forward',
  tag: 'Messages',
  summary: 'Forward a message to a person or a group',
  description:
    'Texts, media, locations and contacts. The copy is marked as forwarded; its media is not uploaded again.',
  headers: idempotencyHeader,
  body: { schema: ForwardSchema, examples: { toNumber: { toNumber: '4915112345678' } } },
  query: ofChat,
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  run({ body, ...call }) {
    const recipient = parseRecipient(body.to, body.toNumber);
    return sentOfEarlier(call, 'forward', body, { recipient, make: forward });
  },
});
