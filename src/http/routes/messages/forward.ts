/** `POST /devices/{id}/messages/{messageId}/forward` (docs/spec/messages.md, Forward). */
import { parseRecipient } from '../../../domain/jid.ts';
import { forward } from '../../../service/sending/earlier.ts';
import { ForwardSchema, ofChat } from '../../schemas/message-change.ts';
import { operation } from '../../wire/operation.ts';
import { sending } from './sending.ts';
import { sentOfEarlier } from './sent.ts';

export const forwardMessage = operation({
  id: 'forwardMessage',
  method: 'POST',
  path: '/devices/{id}/messages/{messageId}/forward',
  tag: 'Messages',
  summary: 'Forward a message to a person or a group',
  description:
    'Texts, media, locations and contacts. The copy is marked as forwarded; its media is not uploaded again.',
  ...sending,
  body: { schema: ForwardSchema, examples: { toNumber: { toNumber: '4915112345678' } } },
  query: ofChat,
  run({ body, ...call }) {
    const recipient = parseRecipient(body.to, body.toNumber);
    return sentOfEarlier(call, 'forward', body, { recipient, make: forward });
  },
});
