/** MCP tools for the acts of a conversation: typing, read marks, calls. */
import { z } from 'zod';
import { type Tools, changes, device, orError, result } from './tool.ts';

const chat = z.string().min(1).describe('The chat: a phone number in digits, or a JID');

const pathOf = (given: { readonly device: number; readonly chat: string }): string =>
  `/devices/${given.device}/chats/${encodeURIComponent(given.chat)}`;

export const registerChatTools = ({ server, client }: Tools): void => {
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
