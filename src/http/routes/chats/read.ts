/** `POST /devices/{id}/chats/{chat}/read` (docs/spec/conversation.md, Read marks). */
import { ok } from '../../wire/build.ts';
import { ReadAnswer, ReadSchema } from '../../schemas/conversation.ts';
import { operation } from '../../wire/operation.ts';

export const markRead = operation({
  id: 'markRead',
  method: 'POST',
  path: '/devices/{id}/chats/{chat}/read',
  tag: 'Chats',
  summary: 'Mark messages as read',
  description:
    'On the phone, too. The writers see it unless the setting `readReceipts` is false, or the account itself hides read receipts.',
  body: { schema: ReadSchema, optional: true, examples: { all: {}, answering: { typing: 'text' } } },
  answer: ReadAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body }) {
    const messageIds = await parts.conversations.markRead(caller.user.id, deviceId, params.chat, body);
    return { messageIds: [...messageIds], status: ok('Messages marked as read') };
  },
});
