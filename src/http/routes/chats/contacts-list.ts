/** `GET /devices/{id}/contacts` (docs/spec/chats.md). */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { ContactSchema, contactView, nameSearch } from '../../schemas/chat.ts';
import { assertSearchable, nextCursor, pageParameters } from '../../schemas/page.ts';

export const listContacts = operation({
  id: 'listContacts',
  method: 'GET',
  path: '/devices/{id}/contacts',
  tag: 'Chats',
  summary: 'List the people whom the account knows',
  description: 'In no order that means anything: names are sealed at rest.',
  query: members({ ...pageParameters, q: Type.Optional(nameSearch) }),
  answer: answer({ contacts: Type.Array(ContactSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, query } = call;
    assertSearchable(query.q, parts.options.search);
    const q = query.q === undefined ? {} : { q: query.q };
    const signal = query.q === undefined ? undefined : await call.request.ticket?.admitSearch();
    return answerPages(
      call,
      { name: 'contacts', done: 'Contacts listed', isSearch: query.q !== undefined },
      async (piece) => {
        const page = await parts.stores.contacts.list(deviceId, { ...piece, ...q, signal });
        return { ...page, items: page.items.map(contactView) };
      },
    );
  },
});
