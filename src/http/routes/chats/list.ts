/** `GET /devices/{id}/chats` (docs/spec/chats.md): newest activity first. */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { ChatSchema, chatViews, flagParameter, nameSearch } from '../../schemas/chat.ts';
import { assertSearchable, nextCursor, pageParameters } from '../../schemas/page.ts';

export const listChats = operation({
  id: 'listChats',
  method: 'GET',
  path: '/devices/{id}/chats',
  tag: 'Chats',
  summary: 'List chats, newest activity first',
  query: members({
    ...pageParameters,
    unread: Type.Optional(flagParameter('`true`: those with unread messages; `false`: the others')),
    archived: Type.Optional(flagParameter('`true`: those that are archived; `false`: the others')),
    q: Type.Optional(nameSearch),
  }),
  answer: answer({ chats: Type.Array(ChatSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, query } = call;
    const { unread, archived, q } = query;
    assertSearchable(q, parts.options.search);
    const filter = {
      ...(unread === undefined ? {} : { unread: unread === 'true' }),
      ...(archived === undefined ? {} : { archived: archived === 'true' }),
      ...(q === undefined ? {} : { q }),
    };
    const signal = q === undefined ? undefined : await call.request.ticket?.admitSearch();
    return answerPages(call, { name: 'chats', done: 'Chats listed', isSearch: q !== undefined }, async (piece) => {
      const page = await parts.stores.chats.list(deviceId, { ...piece, ...filter, signal });
      return { ...page, items: await chatViews(parts.stores.messages, deviceId, page.items) };
    });
  },
});
