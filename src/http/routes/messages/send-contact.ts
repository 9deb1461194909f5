/** `POST /devices/{id}/messages/contact` (docs/spec/messages.md, Send contacts). */
import { operation } from '../../server/operation.ts';
import { SendContactSchema, SentSchema } from '../../schemas/messages/send.ts';
import { idempotencyHeader, sent } from './sent.ts';

export const sendContact = operation({
  id: 'sendContact',
  method: 'POST',
  path: '/devices/{id}/messages/contact',
  tag: 'Messages',
  summary: 'Send contacts',
  description: 'Answers once the network has accepted the message.',
  headers: idempotencyHeader,
  body: {
    schema: SendContactSchema,
    examples: {
      toNumber: {
        toNumber: '4915112345678',
        contacts: [{ name: 'Grace Hopper', numbers: ['4915550002222'], organization: 'Navy' }],
      },
    },
  },
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const contacts = call.body.contacts.map(({ organization = null, ...contact }) => ({ ...contact, organization }));
    return sent(call, call.body, { kind: 'contact', contacts });
  },
});
