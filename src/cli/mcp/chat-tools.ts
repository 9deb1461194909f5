/** MCP tools for chats and contacts, and for the acts of a conversation: typing, read marks, calls. */
import { z } from 'zod';
import { queryOf } from './message-tools.ts';
import { type Tools, changes, device, limit, orError, reads, result } from './tool.ts';

const chat = z.string().min(1).describe('The chat: a phone number in digits, or a JID');

const pathOf = (given: { readonly device: number; readonly chat: string }): string =>
  `/devices/${given.device}/chats/${encodeURIComponent(given.chat)}`;

const q = z.string().min(1).max(100).optional().describe('Only those whose name or number contains this');
const cursor = z.string().optional().describe('nextCursor of the page before');

const registerLists = ({ server, client }: Tools): void => {
  server.registerTool(
    'list_chats',
    {
      description: 'Chats of a device, newest activity first, with unread messages, the newest message and the name',
      inputSchema: z.object({
        device,
        unread: z.literal(true).optional().describe('Only those with unread messages'),
        archived: z.boolean().optional(),
        q,
        limit,
        cursor,
      }),
      annotations: reads,
    },
    ({ device: id, ...filter }) =>
      orError(async () => result(await client.call('GET', `/devices/${id}/chats${queryOf(filter)}`))),
  );
  server.registerTool(
    'list_contacts',
    {
      description: 'People whom the account knows, with their names and numbers, in no order that means anything',
      inputSchema: z.object({ device, q, limit, cursor }),
      annotations: reads,
    },
    ({ device: id, ...filter }) =>
      orError(async () => result(await client.call('GET', `/devices/${id}/contacts${queryOf(filter)}`))),
  );
};

export const registerChatTools = (tools: Tools): void => {
  const { server, client } = tools;
  registerLists(tools);
  server.registerTool(
    'mark_read',
    {
      description: 'Marks messages of a chat as read, all unread ones if no ids are given. Writers see it',
      inputSchema: z.object({ device, chat, messageIds: z.array(z.string().min(1)).min(1).max(100).optional() }),
      annotations: changes,
    },
    ({ messageIds, ...given }) =>
      orError(async () => result(await client.call('POST', `${pathOf(given)}/read`, { messageIds }))),
  );
  server.registerTool(
    'set_typing',
    {
      description:
        'Shows in a chat that the account is writing (text), recording (voice) or neither (none), for up to 25 s',
      inputSchema: z.object({ device, chat, state: z.enum(['text', 'voice', 'none']) }),
      annotations: changes,
    },
    ({ state, ...given }) =>
      orError(async () => result(await client.call('PUT', `${pathOf(given)}/typing`, { state }))),
  );
  server.registerTool(
    'reject_call',
    {
      description: 'Rejects a call that is ringing; its callId is in the event `call`',
      inputSchema: z.object({ device, callId: z.string().min(1) }),
      annotations: changes,
    },
    (given) =>
      orError(async () =>
        result(await client.call('POST', `/devices/${given.device}/calls/${encodeURIComponent(given.callId)}/reject`)),
      ),
  );
};
