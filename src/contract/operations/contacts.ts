/** Contacts, and the look-up of numbers (docs/spec/chats.md, docs/spec/conversation.md). */
import { members, answer } from '../build.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { Type } from 'typebox';
import { nameSearch, ContactSchema } from '../schemas/chat.ts';
import { changes, declare, reads } from '../operation.ts';
import {
  UpdateContactSchema,
  ContactAnswer,
  lookUpParameters,
  LookUpAnswer,
  LookUpUsernamesSchema,
  LookUpUsernamesAnswer,
} from '../schemas/people.ts';
import { maxNumbers, maxNewNumbers } from '../../domain/chats/contact.ts';

export const listContacts = declare({
  id: 'listContacts',
  path: '/devices/{id}/contacts',
  command: 'contact list <device>',
  client: 'contacts.list',
  tool: {
    name: 'list_contacts',
    description: 'People whom the account knows, with their names and numbers',
  },
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'List the people whom the account knows',
  description: 'In no particular order, because names are encrypted at rest.',
  query: members({ ...pageParameters, q: Type.Optional(nameSearch) }),
  answer: answer({ contacts: Type.Array(ContactSchema), nextCursor }),
});

export const getContact = declare({
  id: 'getContact',
  path: '/devices/{id}/contacts/{person}',
  command: 'contact show <device> <person>',
  client: 'contacts.get',
  tool: {
    name: 'get_contact',
    description: 'A person with names and about text; get_picture has the picture',
  },
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'Retrieve what is known of a person',
  description:
    '`person`: a JID of either address, or the digits of a phone number. Text and picture are asked of the network, at most once a day a person.',
  answer: answer({ contact: ContactSchema }),
  errors: ['contactNotFound'],
  atOwner: true,
});

export const updateContact = declare({
  id: 'updateContact',
  method: 'PUT',
  path: '/devices/{id}/contacts/{person}',
  command: 'contact name <device> <person> <name>',
  client: 'contacts.update',
  tool: {
    name: 'update_contact',
    description:
      'Blocks or unblocks a person, or names them in the address book of the account (null removes them from it)',
  },
  ...changes('0.3.0', 'manage'),
  tag: 'Chats',
  summary: 'Block a person, or name them in the address book',
  description: 'Changes only the given fields, on the phone too.',
  body: { schema: UpdateContactSchema, examples: { block: { blocked: true }, name: { name: 'Bob Baker' } } },
  answer: ContactAnswer,
  connected: true,
  errors: ['settingsNotShared'],
});

export const getContactPicture = declare({
  id: 'getContactPicture',
  path: '/devices/{id}/contacts/{person}/picture',
  command: 'contact picture <device> <person> <file>',
  client: 'contacts.picture',
  ...reads('0.3.0'),
  tag: 'Chats',
  summary: 'Download the profile picture of a person',
  description: '404 where there is none, or the person hides it from this account.',
  otherContent: [{ type: 'image/jpeg', description: 'The picture' }],
  connected: true,
});

export const lookUpNumbers = declare({
  id: 'lookUpNumbers',
  path: '/devices/{id}/contacts/lookup',
  command: 'contact lookup <device> <numbers>',
  client: 'contacts.lookUp',
  tool: {
    name: 'look_up_numbers',
    description:
      'Which phone numbers, separated by commas, have an account. At most 20, and 200 new ones a day: never look up numbers in masses',
  },
  ...reads('0.3.0', 'send'),
  tag: 'Chats',
  summary: 'Look up which numbers have an account',
  description: `At most ${maxNumbers} numbers, and at most ${maxNewNumbers} new ones a device and day: looking up numbers in bulk gets accounts restricted.`,
  query: lookUpParameters,
  answer: LookUpAnswer,
  connected: true,
});

export const lookUpUsernames = declare({
  id: 'lookUpUsernames',
  method: 'POST',
  path: '/devices/{id}/contacts/lookup',
  command: 'contact find <device> <usernames>',
  client: 'contacts.lookUpUsernames',
  tool: {
    name: 'look_up_usernames',
    reads: true,
    description:
      'Who has a username: @name, or name:1234 with the key that a person may ask for. Counts as look_up_numbers',
  },
  ...changes('0.4.0', 'send'),
  tag: 'Chats',
  summary: 'Look up who has a username',
  description: `At most ${maxNumbers} usernames; new ones count with the ${maxNewNumbers} numbers a device and day. A name may go to somebody else later: keep the \`lid\`.`,
  body: { schema: LookUpUsernamesSchema, examples: { name: { usernames: ['@some.body'] } } },
  answer: LookUpUsernamesAnswer,
  connected: true,
});
