/** `PUT /devices/{id}/chats/{chat}` (docs/spec/conversation.md, Changing a chat). */
import { ok } from '../../wire/build.ts';
import { chatViews } from '../../schemas/chat.ts';
import { ChatAnswer, chatPatchIn, UpdateChatSchema } from '../../schemas/people.ts';
import { operation } from '../../wire/operation.ts';

export const updateChat = operation({
  id: 'updateChat',
  method: 'PUT',
  path: '/devices/{id}/chats/{chat}',
  tag: 'Chats',
  summary: 'Archive, pin, mute or mark a chat, or set its timer',
  description: 'Changes only the given fields, on the phone and on the account’s other devices too.',
  body: { schema: UpdateChatSchema, examples: { archive: { archived: true }, mute: { mutedUntil: 'always' } } },
  answer: ChatAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body }) {
    const patch = chatPatchIn(body, parts.clock.now());
    const chat = await parts.conversations.updateChat(caller.user.id, deviceId, params.chat, patch);
    const [shown] = await chatViews(parts.stores.messages, deviceId, [chat]);
    return { chat: shown!, status: ok('Chat updated') };
  },
});
