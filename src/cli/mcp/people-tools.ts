/** MCP tools for people, for what is set on a chat, and for older messages. */
import { z } from 'zod';
import { type Tools, changes, device, orError, reads, result } from './tool.ts';

const chat = z.string().min(1).describe('The chat: a phone number in digits, or a JID');

const pathOf = (given: { readonly device: number; readonly chat: string }): string =>
  `/devices/${given.device}/chats/${encodeURIComponent(given.chat)}`;

const person = z.string().min(1).describe('The person: a phone number in digits, or a JID');

const registerPeople = ({ server, client }: Tools): void => {
  server.registerTool(
    'look_up_numbers',
    {
      description:
        'Which phone numbers have an account. At most 20, and 200 new ones a day: never look up numbers in masses',
      inputSchema: z.object({
        device,
        numbers: z
          .array(z.string().regex(/^\d{8,15}$/))
          .min(1)
          .max(20),
      }),
      annotations: reads,
    },
    (given) =>
      orError(async () =>
        result(await client.call('GET', `/devices/${given.device}/contacts/lookup?numbers=${given.numbers.join(',')}`)),
      ),
  );
  server.registerTool(
    'update_contact',
    {
      description:
        'Blocks or unblocks a person, or names them in the address book of the account (null removes them from it)',
      inputSchema: z.object({
        device,
        person,
        blocked: z.boolean().optional(),
        name: z.string().min(1).max(100).nullable().optional(),
      }),
      annotations: changes,
    },
    ({ device: id, person: who, ...body }) =>
      orError(async () => result(await client.call('PUT', `/devices/${id}/contacts/${encodeURIComponent(who)}`, body))),
  );
};

const registerChats = ({ server, client }: Tools): void => {
  server.registerTool(
    'load_history',
    {
      description:
        'Asks the phone for older messages of a chat; the event history.loaded says how many came into the log',
      inputSchema: z.object({ device, chat, count: z.number().int().min(1).max(500) }),
      annotations: changes,
    },
    ({ count, ...given }) =>
      orError(async () => result(await client.call('POST', `${pathOf(given)}/history`, { count }))),
  );
  server.registerTool(
    'update_chat',
    {
      description: 'Archives, pins, mutes or marks a chat as unread, also on the phone',
      inputSchema: z.object({
        device,
        chat,
        archived: z.boolean().optional(),
        pinned: z.boolean().optional(),
        unread: z.boolean().optional(),
        mutedUntil: z.string().nullable().optional().describe('A time in RFC 3339, "always", or null'),
      }),
      annotations: changes,
    },
    ({ device: id, chat: which, ...body }) =>
      orError(async () => result(await client.call('PUT', pathOf({ device: id, chat: which }), body))),
  );
};

export const registerPeopleTools = (tools: Tools): void => {
  registerPeople(tools);
  registerChats(tools);
};
