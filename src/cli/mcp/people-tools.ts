/** MCP tools for people: contacts, number look-up, own profile, and the suppression list. */
import { z } from 'zod';
import {
  acts,
  addTool,
  asks,
  cursor,
  device,
  limit,
  nextCursor,
  phone,
  queryOf,
  reads,
  sets,
  type Tools,
} from './tool.ts';

const person = z.string().min(1).describe('The person: a phone number in digits, or a JID');

const contactRow = z.object({
  jid: z.string(),
  number: z.string().nullable(),
  name: z.string().nullable().describe('Name in the address book of the account'),
  pushName: z.string().nullable().describe('Name that the person has chosen'),
  businessName: z.string().nullable(),
  blocked: z.boolean(),
});

const contactDetail = contactRow.extend({ about: z.string().nullable(), picture: z.string().nullable() });

const registerContacts = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_contacts',
    title: 'List contacts',
    description: 'People whom the account knows, with their names and numbers, in no order that means anything',
    input: z.object({
      device,
      q: z.string().min(1).max(100).optional().describe('Only those whose name or number contains this'),
      limit,
      cursor,
    }),
    output: z.object({ contacts: z.array(contactRow), nextCursor }),
    hints: reads,
    run: ({ device: id, ...filter }) => client.call('GET', `/devices/${id}/contacts${queryOf(filter)}`),
  });
  addTool(tools, {
    name: 'get_contact',
    title: 'Show a person',
    description: 'A person with names and about text; get_picture has the picture',
    input: z.object({ device, person }),
    output: z.object({ contact: contactDetail }),
    hints: asks,
    run: ({ device: id, person: who }) => client.call('GET', `/devices/${id}/contacts/${encodeURIComponent(who)}`),
  });
  addTool(tools, {
    name: 'update_contact',
    title: 'Change a contact',
    description:
      'Blocks or unblocks a person, or names them in the address book of the account (null removes them from it)',
    input: z.object({
      device,
      person,
      blocked: z.boolean().optional(),
      name: z.string().min(1).max(100).nullable().optional(),
    }),
    output: z.object({ contact: contactDetail }),
    hints: sets,
    run: ({ device: id, person: who, ...body }) =>
      client.call('PUT', `/devices/${id}/contacts/${encodeURIComponent(who)}`, body),
  });
};

const registerLookUp = (tools: Tools): void =>
  addTool(tools, {
    name: 'look_up_numbers',
    title: 'Look up numbers',
    description:
      'Which phone numbers have an account. At most 20, and 200 new ones a day: never look up numbers in masses',
    input: z.object({
      device,
      numbers: z.array(phone).min(1).max(20),
    }),
    output: z.object({
      contacts: z.array(z.object({ number: z.string(), exists: z.boolean(), jid: z.string().nullable() })),
    }),
    hints: asks,
    run: (given) =>
      tools.client.call('GET', `/devices/${given.device}/contacts/lookup?numbers=${given.numbers.join(',')}`),
  });

const profile = z.object({
  profile: z.object({
    jid: z.string(),
    number: z.string().nullable(),
    name: z.string().nullable(),
    about: z.string().nullable(),
    aboutExpiresAt: z.string().nullable().describe('When the about text ends; null: never'),
    picture: z.string().nullable().describe('Id of the picture'),
  }),
});

const registerProfile = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'get_profile',
    title: 'Show the own profile',
    description: 'Name, about text and picture of the account of a device',
    input: z.object({ device }),
    output: profile,
    hints: asks,
    run: (given) => client.call('GET', `/devices/${given.device}/profile`),
  });
  addTool(tools, {
    name: 'update_profile',
    title: 'Change the own profile',
    description: 'Sets the name, the about text or the picture of the account; everybody sees them',
    input: z.object({
      device,
      name: z.string().min(1).max(25).optional(),
      about: z.string().max(139).optional(),
      aboutExpiresAt: z.iso
        .datetime({ offset: true })
        .optional()
        .describe('When the about text ends; never by default'),
      pictureUrl: z.url().nullable().optional().describe('An image to use as the picture; null removes it'),
    }),
    output: profile,
    hints: sets,
    run: async ({ device: id, pictureUrl, ...changes }) => {
      const path = `/devices/${id}/profile`;
      if (pictureUrl === null) await client.call('DELETE', `${path}/picture`);
      else if (pictureUrl !== undefined) await client.call('PUT', `${path}/picture`, { mediaUrl: pictureUrl });
      const isSet = Object.values(changes).some((value) => value !== undefined);
      return isSet ? client.call('PUT', path, changes) : client.call('GET', path);
    },
  });
};

const suppression = z.object({
  number: z.string().nullable(),
  reason: z.string().nullable(),
  source: z.string(),
  createdAt: z.string(),
});

const registerSuppressions = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_suppressions',
    title: 'List who is not written to',
    description: 'The suppression list: a send to one of these people is refused',
    input: z.object({ limit, cursor }),
    output: z.object({ suppressions: z.array(suppression), nextCursor }),
    hints: reads,
    run: (given) => client.call('GET', `/suppressions${queryOf(given)}`),
  });
  addTool(tools, {
    name: 'suppress_number',
    title: 'Write to a number no more',
    description: 'Adds a person who has opted out to the suppression list. Only a person removes somebody from it',
    input: z.object({ number: phone, reason: z.string().min(1).max(500).optional() }),
    output: z.object({ suppression }),
    hints: { ...acts, idempotentHint: true, openWorldHint: false },
    run: (given) => client.call('POST', '/suppressions', given),
  });
};

export const registerPeopleTools = (tools: Tools): void => {
  registerContacts(tools);
  registerLookUp(tools);
  registerProfile(tools);
  registerSuppressions(tools);
};
