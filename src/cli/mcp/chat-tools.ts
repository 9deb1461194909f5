/** MCP tools for chats: list, mark as read, typing, settings, older messages, calls. */
import { z } from 'zod';
import { type Message, messageRow, rowOf } from './rows.ts';
import { acts, addTool, cursor, device, limit, nextCursor, queryOf, reads, sets, status, type Tools } from './tool.ts';

const chat = z.string().min(1).describe('The chat: a phone number, or a JID');

const pathOf = (given: { readonly device: number; readonly chat: string }): string =>
  `/devices/${given.device}/chats/${encodeURIComponent(given.chat)}`;

const chatRow = z.object({
  chat: z.string(),
  name: z.string().nullable(),
  isGroup: z.boolean(),
  unread: z.number(),
  archived: z.boolean(),
  pinned: z.boolean(),
  mutedUntil: z.string().nullable(),
  lastMessage: messageRow.omit({ chat: true }).nullable(),
});

interface Chat {
  readonly lastMessage: Message | null;
}

const shown = (found: Chat) => ({ ...found, lastMessage: found.lastMessage && rowOf(found.lastMessage) });

const registerChats = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'list_chats',
    title: 'List chats',
    description: 'Chats of a device, newest activity first, with unread messages, the newest message and the name',
    input: z.object({
      device,
      unread: z.literal(true).optional().describe('Only those with unread messages'),
      archived: z.boolean().optional(),
      q: z.string().min(1).max(100).optional().describe('Only those whose name or number contains this'),
      limit,
      cursor,
    }),
    output: z.object({ chats: z.array(chatRow), nextCursor }),
    hints: reads,
    run: async ({ device: id, ...filter }) => {
      type Page = { chats: readonly Chat[]; nextCursor: string | null };
      const page = await client.call<Page>('GET', `/devices/${id}/chats${queryOf(filter)}`);
      return { chats: page.chats.map(shown), nextCursor: page.nextCursor };
    },
  });
  addTool(tools, {
    name: 'update_chat',
    title: 'Change a chat',
    description: 'Archives, pins, mutes or marks a chat as unread, also on the phone',
    input: z.object({
      device,
      chat,
      archived: z.boolean().optional(),
      pinned: z.boolean().optional(),
      unread: z.boolean().optional(),
      mutedUntil: z.string().nullable().optional().describe('A time in RFC 3339, "always", or null'),
    }),
    output: z.object({ chat: chatRow }),
    hints: sets,
    run: async ({ device: id, chat: which, ...body }) => {
      const answer = await client.call<{ chat: Chat }>('PUT', pathOf({ device: id, chat: which }), body);
      return { chat: shown(answer.chat) };
    },
  });
};

const registerHistory = (tools: Tools): void => {
  const { client } = tools;
  addTool(tools, {
    name: 'load_history',
    title: 'Load older messages',
    description:
      'Asks the phone for older messages of a chat; the event history.loaded says how many came into the log',
    input: z.object({ device, chat, count: z.number().int().min(1).max(500) }),
    output: z.object({ status }),
    hints: acts,
    run: ({ count, ...given }) => client.call('POST', `${pathOf(given)}/history`, { count }),
  });
};

export const registerChatTools = (tools: Tools): void => {
  const { client } = tools;
  registerChats(tools);
  registerHistory(tools);
  addTool(tools, {
    name: 'mark_read',
    title: 'Mark as read',
    description: 'Marks messages of a chat as read, all unread ones if no ids are given. Writers see it',
    input: z.object({ device, chat, messageIds: z.array(z.string().min(1)).min(1).max(100).optional() }),
    output: z.object({ messageIds: z.array(z.string()) }),
    hints: sets,
    run: ({ messageIds, ...given }) => client.call('POST', `${pathOf(given)}/read`, { messageIds }),
  });
  addTool(tools, {
    name: 'set_typing',
    title: 'Show typing',
    description:
      'Shows in a chat that the account is writing (text), recording (voice) or neither (none), for up to 25 s',
    input: z.object({ device, chat, state: z.enum(['text', 'voice', 'none']) }),
    output: z.object({ typing: z.object({ state: z.string(), until: z.string().nullable() }) }),
    hints: sets,
    run: ({ state, ...given }) => client.call('PUT', `${pathOf(given)}/typing`, { state }),
  });
  addTool(tools, {
    name: 'reject_call',
    title: 'Reject a call',
    description: 'Rejects a call that is ringing; its callId is in the event `call`',
    input: z.object({ device, callId: z.string().min(1) }),
    output: z.object({ status }),
    hints: acts,
    run: (given) => client.call('POST', `/devices/${given.device}/calls/${encodeURIComponent(given.callId)}/reject`),
  });
};
