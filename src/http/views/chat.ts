/** Chats and contacts as callers see them (docs/spec/chats.md). */
import type { Chat } from '../../domain/chats/chat.ts';
import type { MutedUntil } from '../../domain/chats/chat-event.ts';
import { iso } from '../../domain/event-view.ts';
import { messageViews } from './messages/message.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { Jid } from '../../domain/jid.ts';
import { parseChat } from '../../domain/chats/address.ts';

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
