/** Chats: list, read, type, change, history from the phone, and calls (docs/spec/chats.md, docs/spec/conversation.md). */
import * as declared from '../../contract/operations/chats.ts';
import { assertSearchable } from '../views/page.ts';
import { answerPages, answerLarge } from '../streams/answers.ts';
import { chatViews, chatPatchIn } from '../views/chat.ts';
import { handle } from '../wire/operation.ts';
import { parseChat } from '../../domain/chats/recipient.ts';
import { notFound } from '../../errors.ts';
import { ok, accepted } from '../wire/values.ts';
import { longestTypingSeconds } from '../../domain/chats/conversation.ts';

export const listChats = handle(declared.listChats, async (call) => {
  const { services, deviceId, query } = call;
  const { unread, archived, label, q } = query;
  assertSearchable(q, services.options.search);
  const filter = {
    ...(unread === undefined ? {} : { unread }),
    ...(archived === undefined ? {} : { archived }),
    ...(label === undefined ? {} : { label }),
    ...(q === undefined ? {} : { q }),
  };
  const signal = q === undefined ? undefined : await call.request.ticket?.admitSearch();
  return answerPages(call, { name: 'chats', done: 'Chats listed', isSearch: q !== undefined }, async (piece) => {
    const page = await services.stores.chats.list(deviceId, { ...piece, ...filter, signal });
    return { ...page, items: await chatViews(call, page.items) };
  });
});

export const getChat = handle(declared.getChat, async (call) => {
  const { services, deviceId, params } = call;
  const chat = await answerLarge(call, () => services.stores.chats.find(deviceId, parseChat(params.chat)));
  if (chat === null) throw notFound('Chat');
  const [shown] = await chatViews(call, [chat]);
  return { chat: shown!, status: ok('Chat retrieved') };
});

export const updateChat = handle(declared.updateChat, async (call) => {
  const { services, scope, params, body } = call;
  const patch = chatPatchIn(body, services.clock.now());
  const chat = await services.conversations.updateChat(scope, params.chat, patch);
  const [shown] = await chatViews(call, [chat]);
  return { chat: shown!, status: ok('Chat updated') };
});

export const clearChat = handle(declared.clearChat, async (call) => {
  const { services, scope, params, query } = call;
  const chat = await services.conversations.clearChat(scope, params.chat, query.keepStarred ?? false);
  const [shown] = await chatViews(call, [chat]);
  return { chat: shown!, status: ok('Chat cleared') };
});

export const markRead = handle(declared.markRead, async ({ services, scope, params, body }) => {
  const messageIds = await services.conversations.markRead(scope, params.chat, body);
  return { messageIds: [...messageIds], status: ok('Messages marked as read') };
});

export const setTyping = handle(
  declared.setTyping,
  async ({ services, scope, params, body: { state, seconds = longestTypingSeconds } }) => {
    await services.conversations.showTyping(scope, params.chat, state, seconds);
    const until = new Date(services.clock.now() + (state === 'none' ? 0 : seconds * 1_000)).toISOString();
    return { typing: { state, until }, status: ok('Typing set') };
  },
);

export const loadHistory = handle(declared.loadHistory, async ({ services, scope, params, body, reply }) => {
  await services.conversations.loadHistory(scope, params.chat, body.count);
  reply.code(202);
  return { status: accepted('Asked the phone for older messages') };
});

export const rejectCall = handle(declared.rejectCall, async ({ services, scope, params }) => {
  await services.conversations.rejectCall(scope, params.callId);
  return { status: ok('Call rejected') };
});
