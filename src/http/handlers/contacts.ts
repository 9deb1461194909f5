/** Contacts, and the look-up of numbers (docs/spec/chats.md, docs/spec/conversation.md). */
import { Type } from 'typebox';
import { answerPages, sendPicture } from '../streams/answers.ts';
import { operation } from '../wire/operation.ts';
import { answer, members, ok } from '../wire/build.ts';
import { ContactSchema, contactView, nameSearch } from '../schemas/chat.ts';
import { assertSearchable, nextCursor, pageParameters } from '../schemas/page.ts';
import { ContactAnswer, LookUpAnswer, lookUpParameters, numbersIn, UpdateContactSchema } from '../schemas/people.ts';
import { maxNewNumbers, maxNumbers } from '../../service/conversation/people.ts';

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
  async run({ parts, scope, params }) {
    const contact = await parts.people.contact(scope, params.person);
    return { contact: contactView(contact), status: ok('Contact retrieved') };
  },
});

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
  async run({ parts, scope, params, body }) {
    const contact = await parts.people.change(scope, params.person, body);
    return { contact: contactView(contact), status: ok('Contact updated') };
  },
});

export const getContactPicture = operation({
  id: 'getContactPicture',
  method: 'GET',
  path: '/devices/{id}/contacts/{person}/picture',
  tag: 'Chats',
  summary: 'Download the profile picture of a person',
  description: '404 where there is none, or the person hides it from this account.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params, request, reply }) {
    const picture = await parts.people.picture(scope, params.person);
    return sendPicture(request, reply, picture);
  },
});

export const lookUpNumbers = operation({
  id: 'lookUpNumbers',
  method: 'GET',
  path: '/devices/{id}/contacts/lookup',
  tag: 'Chats',
  summary: 'Look up which numbers have an account',
  description: `At most ${maxNumbers} numbers, and at most ${maxNewNumbers} new ones a device and day: looking numbers up in masses gets accounts restricted.`,
  query: lookUpParameters,
  answer: LookUpAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, query }) {
    const contacts = await parts.people.lookUp(scope, numbersIn(query.numbers, maxNumbers));
    return { contacts: [...contacts], status: ok('Numbers looked up') };
  },
});
