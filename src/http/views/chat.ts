/** Chats and contacts as callers see them (docs/spec/chats.md). */
import type { Static } from 'typebox';
import type { Immutable } from '../../contract/operation.ts';
import type { UpdateChatSchema } from '../../contract/schemas/people.ts';
import type { Chat } from '../../domain/chats/chat.ts';
import type { MutedUntil } from '../../domain/chats/chat-event.ts';
import { iso } from '../../domain/event-view.ts';
import { invalidRequest } from '../../errors.ts';
import type { ChatPatch } from '../../service/conversation/conversations.ts';
import { messageViews } from './messages/message.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import { type Jid, numbersRule } from '../../domain/jid.ts';
import { parseChat } from '../../domain/chats/recipient.ts';

const untilView = (until: MutedUntil): string | null => (typeof until === 'number' ? iso(until) : until);

type MessageView = Awaited<ReturnType<typeof messageViews>>[number];

const chatView = (chat: Chat, lastMessage: MessageView | null) => ({
  chat: chat.chat,
  chatNumber: chat.chatNumber,
  chatLid: chat.chatLid,
  username: chat.username,
  name: chat.name,
  isGroup: chat.isGroup,
  unread: chat.unread,
  lastMessage,
  archived: chat.archived,
  pinned: chat.pinned,
  mutedUntil: untilView(chat.mutedUntil),
  expiresInSeconds: chat.expiresInSeconds,
  labels: [...chat.labels],
});

export const chatViews = async (
  of: Parameters<typeof messageViews>[0],
  chats: readonly Chat[],
): Promise<ReturnType<typeof chatView>[]> => {
  const newest = chats.flatMap(({ lastMessage }) => (lastMessage === null ? [] : [lastMessage]));
  const views = await messageViews(of, newest);
  const byMessage = new Map(newest.map((message, index) => [message, views[index]!]));
  return chats.map((chat) => chatView(chat, chat.lastMessage === null ? null : byMessage.get(chat.lastMessage)!));
};

export const contactView = (contact: Contact) => ({ ...contact });

export const chatIn = ({ chat }: { readonly chat?: string | undefined }): Jid | undefined =>
  chat === undefined ? undefined : parseChat(chat);

export const numbersIn = (text: string, max: number): readonly string[] => {
  const numbers = text.split(',').map((number) => number.trim());
  const wrong = numbers.find((number) => !/^\d{8,15}$/.test(number));
  if (wrong === undefined && numbers.length <= max) return numbers;
  throw invalidRequest(`numbers ${numbersRule}`);
};

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

export const chatPatchIn = (
  { mutedUntil, expiresInSeconds, ...flags }: Immutable<Static<typeof UpdateChatSchema>>,
  now: number,
): ChatPatch => {
  const timer = expiresInSeconds === undefined ? {} : { expiresInSeconds: expiresInSeconds ?? 0 };
  if (mutedUntil === undefined) return { ...flags, ...timer };
  if (mutedUntil === null || mutedUntil === 'always') return { ...flags, ...timer, mutedUntil };
  const until = rfc3339.test(mutedUntil) ? Date.parse(mutedUntil) : Number.NaN;
  if (Number.isNaN(until)) throw invalidRequest('mutedUntil must be a time in RFC 3339, "always", or null');
  if (until <= now) throw invalidRequest('mutedUntil must be in the future; null ends a mute');
  return { ...flags, ...timer, mutedUntil: until };
};
