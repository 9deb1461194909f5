/** `GET /devices/{id}/contacts/{person}` (docs/spec/chats.md). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { ContactSchema, contactView } from '../../schemas/chat.ts';

export const getContact = operation({
  id: 'getContact',
  method: 'GET',
  path: '/devices/{id}/contacts/{person}',
  tag: 'Chats',
  summary: 'Retrieve what is known of a person',
  description:
    '`person`: a JID of either address, or the digits of a phone number. Text and picture are asked of the network, at most once a day a person.',
  answer: answer({ contact: ContactSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  atOwner: true,
  async run({ parts, caller, deviceId, params }) {
    const contact = await parts.people.contact(caller.user.id, deviceId, params.person);
    return { contact: contactView(contact), status: ok('Contact retrieved') };
  },
});
