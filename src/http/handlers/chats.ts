/** Chats: list, read, type, change, history from the phone, and calls (docs/spec/chats.md, docs/spec/conversation.md). */
import { answer, ok, accepted, members } from '../wire/build.ts';
import { operation } from '../wire/operation.ts';
import { Type } from 'typebox';
import { answerLarge, answerPages } from '../streams/answers.ts';
import {
  ChatSchema,
  chatViews,
  flagParameter,
  nameSearch,
  ReadAnswer,
  ReadSchema,
  TypingAnswer,
  TypingSchema,
} from '../schemas/chat.ts';
import { assertSearchable, nextCursor, pageParameters } from '../schemas/page.ts';
import { parseChat } from '../../domain/chats/address.ts';
import { notFound } from '../../errors.ts';
import { ChatAnswer, chatPatchIn, UpdateChatSchema } from '../schemas/people.ts';
import { longestTypingSeconds } from '../../domain/chats/conversation.ts';

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
      return { ...page, items: await chatViews(call, page.items) };
    });
  },
});

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
    const [shown] = await chatViews(call, [chat]);
    return { chat: shown!, status: ok('Chat retrieved') };
  },
});

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
  async run(call) {
    const { parts, scope, params, body } = call;
    const patch = chatPatchIn(body, parts.clock.now());
    const chat = await parts.conversations.updateChat(scope, params.chat, patch);
    const [shown] = await chatViews(call, [chat]);
    return { chat: shown!, status: ok('Chat updated') };
  },
});

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
  async run({ parts, scope, params, body }) {
    const messageIds = await parts.conversations.markRead(scope, params.chat, body);
    return { messageIds: [...messageIds], status: ok('Messages marked as read') };
  },
});

export const setTyping = operation({
  id: 'setTyping',
  method: 'PUT',
  path: '/devices/{id}/chats/{chat}/typing',
  tag: 'Chats',
  summary: 'Show that the account is writing or recording',
  description: 'The network may show it only while the account is online (setting `online`).',
  body: { schema: TypingSchema, examples: { text: { state: 'text', seconds: 10 }, none: { state: 'none' } } },
  answer: TypingAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body: { state, seconds = longestTypingSeconds } }) {
    await parts.conversations.showTyping(scope, params.chat, state, seconds);
    const until = new Date(parts.clock.now() + (state === 'none' ? 0 : seconds * 1_000)).toISOString();
    return { typing: { state, until }, status: ok('Typing set') };
  },
});

const LoadHistorySchema = members(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'How many messages, 1 to 500; the phone may send fewer',
      errorMessage: 'must be a whole number from 1 to 500',
    }),
  },
  { title: 'LoadHistory' },
);

export const loadHistory = operation({
  id: 'loadHistory',
  method: 'POST',
  path: '/devices/{id}/chats/{chat}/history',
  tag: 'Chats',
  summary: 'Ask the phone for older messages of a chat',
  description:
    'They come into the message log, marked as `historic`, and not as `message.received`. The event `history.loaded` says how many came; after a minute without an answer of the phone, that none did.',
  body: { schema: LoadHistorySchema, examples: { fifty: { count: 50 } } },
  success: 202,
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, scope, params, body, reply }) {
    await parts.conversations.loadHistory(scope, params.chat, body.count);
    reply.code(202);
    return { status: accepted('Older messages were asked for') };
  },
});

export const rejectCall = operation({
  id: 'rejectCall',
  method: 'POST',
  path: '/devices/{id}/calls/{callId}/reject',
  tag: 'Chats',
  summary: 'Reject a call that is ringing',
  description: '`callId` as in the event `call`. It stops ringing on all devices of the account.',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    await parts.conversations.rejectCall(scope, params.callId);
    return { status: ok('Call rejected') };
  },
});
