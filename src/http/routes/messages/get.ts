/** `GET /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Message log). */
import { Type } from 'typebox';
import { answerLarge } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { chatParameter } from '../../schemas/chat.ts';
import { MessageSchema } from '../../schemas/messages/message.ts';
import { viewOf } from './earlier.ts';

export const getMessage = operation({
  id: 'getMessage',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Retrieve a message and its delivery state',
  description:
    'The sender chooses the id. If two chats have a message with this id, the older one is returned; `chat` selects the other.',
  query: members({ chat: Type.Optional(chatParameter) }),
  answer: answer({ message: MessageSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  run: (call) => answerLarge(call, async () => ({ message: await viewOf(call), status: ok('Message retrieved') })),
});
