/** `GET /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Message log). */
import { Type } from 'typebox';
import { notFound } from '../../../errors.ts';
import { operation } from '../../server/operation.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { MessageSchema, messageView } from '../../schemas/message.ts';
import { chatParameter } from './list.ts';

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
  async run({ parts, deviceId, params, query }) {
    const message = await parts.stores.messages.find(deviceId, params.messageId, query.chat);
    if (message === null || message.state === 'action') throw notFound('Message');
    const [kept] = await parts.stores.messages.annotations(deviceId, [message], ['reaction']);
    return { message: messageView(message, kept), status: ok('Message retrieved') };
  },
});
