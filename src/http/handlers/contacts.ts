/** Contacts, and the look-up of numbers (docs/spec/chats.md, docs/spec/conversation.md). */
import * as declared from '../../contract/operations/contacts.ts';
import { assertSearchable } from '../views/page.ts';
import { answerPages, sendPicture } from '../streams/answers.ts';
import { contactView, numbersIn } from '../views/chat.ts';
import { handle } from '../wire/operation.ts';
import { ok } from '../wire/values.ts';
import { maxNumbers } from '../../domain/chats/contact.ts';
import { parseUsernames } from '../../domain/chats/usernames.ts';

export const listContacts = handle(declared.listContacts, async (call) => {
  const { services, deviceId, query } = call;
  assertSearchable(query.q, services.options.search);
  const q = query.q === undefined ? {} : { q: query.q };
  const signal = query.q === undefined ? undefined : await call.request.ticket?.admitSearch();
  return answerPages(
    call,
    { name: 'contacts', done: 'Contacts listed', isSearch: query.q !== undefined },
    async (piece) => {
      const page = await services.stores.contacts.list(deviceId, { ...piece, ...q, signal });
      return { ...page, items: page.items.map(contactView) };
    },
  );
});

export const getContact = handle(declared.getContact, async ({ services, scope, params }) => {
  const contact = await services.people.contact(scope, params.person);
  return { contact: contactView(contact), status: ok('Contact retrieved') };
});

export const updateContact = handle(declared.updateContact, async ({ services, scope, params, body }) => {
  const contact = await services.people.change(scope, params.person, body);
  return { contact: contactView(contact), status: ok('Contact updated') };
});

export const getContactPicture = handle(
  declared.getContactPicture,
  async ({ services, scope, params, request, reply }) => {
    const picture = await services.people.picture(scope, params.person);
    return sendPicture(request, reply, picture);
  },
);

export const lookUpNumbers = handle(declared.lookUpNumbers, async ({ services, scope, query }) => {
  const contacts = await services.people.lookUp(scope, numbersIn(query.numbers, maxNumbers));
  return { contacts: [...contacts], status: ok('Numbers looked up') };
});

export const lookUpUsernames = handle(declared.lookUpUsernames, async ({ services, scope, body }) => {
  const contacts = await services.people.lookUpUsernames(scope, parseUsernames(body.usernames));
  return { contacts: [...contacts], status: ok('Usernames looked up') };
});
