/** `PUT /devices/{id}/contacts/{person}` (docs/spec/conversation.md, People). */
import { ok } from '../../wire/build.ts';
import { contactView } from '../../schemas/chat.ts';
import { ContactAnswer, UpdateContactSchema } from '../../schemas/people.ts';
import { operation } from '../../wire/operation.ts';

export const updateContact = operation({
  id: 'updateContact',
  method: 'PUT',
  path: '/devices/{id}/contacts/{person}',
  tag: 'Chats',
  summary: 'Block a person, or name them in the address book',
  description: 'Changes only the given fields, on the phone too.',
  body: { schema: UpdateContactSchema, examples: { block: { blocked: true }, name: { name: 'Bob Baker' } } },
  answer: ContactAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body }) {
    const contact = await parts.people.change(caller.user.id, deviceId, params.person, body);
    return { contact: contactView(contact), status: ok('Contact updated') };
  },
});
