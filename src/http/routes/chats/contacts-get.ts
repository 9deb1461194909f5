/** `GET /devices/{id}/contacts/{person}` (docs/spec/chats.md). */
import { notFound } from '../../../errors.ts';
import { operation } from '../../server/operation.ts';
import { answer, ok } from '../../schemas/build.ts';
import { ContactSchema, contactView, jidIn } from '../../schemas/chat.ts';

export const getContact = operation({
  id: 'getContact',
  method: 'GET',
  path: '/devices/{id}/contacts/{person}',
  tag: 'Chats',
  summary: 'Retrieve what is known of a person',
  description: '`person`: a JID of either address, or the digits of a phone number.',
  answer: answer({ contact: ContactSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId, params }) {
    const contact = await parts.stores.contacts.find(deviceId, jidIn('person', params.person));
    if (contact === null) throw notFound('Contact');
    return { contact: contactView(contact), status: ok('Contact retrieved') };
  },
});
