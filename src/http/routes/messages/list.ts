/** `GET /devices/{id}/messages` (docs/spec/messages.md, Message log): newest first. */
import { Type } from 'typebox';
import { shownKinds } from '../../../domain/messages/annotation.ts';
import { operation } from '../../server/operation.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { MessageSchema, messageView } from '../../schemas/message.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';

export const chatParameter = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'JID of a chat, as `chat` of a message shows it',
  errorMessage: 'must be the JID of a chat',
});

export const listMessages = operation({
  id: 'listMessages',
  method: 'GET',
  path: '/devices/{id}/messages',
  tag: 'Messages',
  summary: 'List messages, newest first',
  query: members({ ...pageParameters, chat: Type.Optional(chatParameter) }),
  answer: answer({ messages: Type.Array(MessageSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId, query }) {
    const chat = query.chat === undefined ? {} : { chat: query.chat };
    const page = await parts.stores.messages.list(deviceId, { ...pageOf(query), ...chat });
    const kept = await parts.stores.messages.annotations(deviceId, page.items, shownKinds);
    const messages = page.items.map((message, index) => messageView(message, kept[index]));
    return { messages, nextCursor: page.nextCursor, status: ok('Messages listed') };
  },
});
