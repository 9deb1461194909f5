/** `GET /devices/{id}/chats/{chat}` (docs/spec/chats.md). */
import { parseChat } from '../../../domain/chats/address.ts';
import { notFound } from '../../../errors.ts';
import { answerLarge } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { ChatSchema, chatViews } from '../../schemas/chat.ts';

export const getChat = operation({
  id: 'getChat',
  method: 'GET',
  path: '/devices/{id}/chats/{chat}',
  tag: 'Chats',
  summary: 'Retrieve a chat',
  description: '`chat`: a JID of either address, a group, or the digits of a phone number.',
  answer: answer({ chat: ChatSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, params } = call;
    const chat = await answerLarge(call, () => parts.stores.chats.find(deviceId, parseChat(params.chat)));
    if (chat === null) throw notFound('Chat');
    const [shown] = await chatViews(parts.stores.messages, deviceId, [chat]);
    return { chat: shown!, status: ok('Chat retrieved') };
  },
});
