/** `POST /devices/{id}/messages/contact` (docs/spec/messages.md, Send contacts). */
import { operation } from '../../wire/operation.ts';
import { SendContactSchema } from '../../schemas/messages/send.ts';
import { sending } from './sending.ts';
import { sent } from './sent.ts';

export const sendContact = operation({
  id: 'sendContact',
  method: 'POST',
  path: '/devices/{id}/messages/contact',
  tag: 'Messages',
  summary: 'Send contacts',
  description: 'Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendContactSchema,
    examples: {
      toNumber: {
        toNumber: '4915112345678',
        contacts: [{ name: 'Grace Hopper', numbers: ['4915550002222'], organization: 'Navy' }],
      },
    },
  },
  async run(call) {
    const contacts = call.body.contacts.map(({ organization = null, ...contact }) => ({ ...contact, organization }));
    return sent(call, call.body, { kind: 'contact', contacts });
  },
});
