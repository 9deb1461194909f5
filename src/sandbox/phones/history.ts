/** The small history that a phone hands to a companion: its newest chats with their newest messages, and who is who. */
import { proto } from 'baileys';
import type { Message, PhoneContext } from './context.ts';
import type { ViewMessage } from './view.ts';

const mostChats = 20;
const mostMessages = 30;

const isGroup = (jid: string): boolean => jid.endsWith('@g.us');

/** The message itself, as far as it is kept; of other kinds than text only media is. */
const contentOf = (phone: PhoneContext, { id, text, type }: ViewMessage): Message | null => {
  if (type === 'text') return text === null ? null : { conversation: text };
  const bytes = phone.content.get(id) ?? phone.sent.get(id)?.bytes;
  return bytes === undefined ? null : proto.Message.decode(bytes);
};

const status = ({ fromMe, state }: ViewMessage): proto.WebMessageInfo.Status => {
  const { SERVER_ACK, DELIVERY_ACK, READ, PLAYED } = proto.WebMessageInfo.Status;
  if (!fromMe) return state === 'read' || state === 'played' ? READ : DELIVERY_ACK;
  if (state === 'played') return PLAYED;
  if (state === 'read') return READ;
  return state === 'delivered' ? DELIVERY_ACK : SERVER_ACK;
};

const infoOf = (phone: PhoneContext, shown: ViewMessage): proto.IWebMessageInfo | null => {
  const message = shown.revoked ? null : contentOf(phone, shown);
  if (message === null) return null;
  const { id, chat, fromMe, from, timestamp, pushName } = shown;
  return {
    key: { remoteJid: chat, fromMe, id, ...(isGroup(chat) && { participant: from }) },
    message,
    messageTimestamp: Math.floor(Date.parse(timestamp) / 1000),
    status: status(shown),
    ...(isGroup(chat) && { participant: from }),
    ...(pushName !== null && { pushName }),
  };
};

const unreadIn = (messages: readonly ViewMessage[]): number =>
  messages.filter(({ fromMe, state }) => !fromMe && state === 'received').length;

const conversationOf = (phone: PhoneContext, chat: string, messages: readonly ViewMessage[]): proto.IConversation => {
  const lid = phone.hub.findAccount(chat)?.lid;
  const newest = messages.toReversed().flatMap((message) => {
    const info = infoOf(phone, message);
    return info === null ? [] : [{ message: info }];
  });
  return {
    id: chat,
    messages: newest.slice(0, mostMessages),
    conversationTimestamp: Math.floor(Date.parse(messages.at(-1)!.timestamp) / 1000),
    unreadCount: unreadIn(messages),
    ...(lid !== undefined && { lidJid: lid, pnJid: chat }),
  };
};

/** Newest chats first. */
const chatsOf = ({ view }: PhoneContext): readonly (readonly [string, readonly ViewMessage[]])[] => {
  const chats = new Map<string, ViewMessage[]>();
  for (const message of view.after(0)) {
    const messages = chats.get(message.chat) ?? [];
    // A chat that was written to later is a later chat.
    chats.delete(message.chat);
    chats.set(message.chat, messages);
    messages.push(message);
    if (messages.length > mostMessages * 2) messages.splice(0, mostMessages);
  }
  return [...chats].toReversed().slice(0, mostChats);
};

export interface History {
  readonly conversations: proto.IConversation[];
  readonly phoneNumberToLidMappings: proto.IPhoneNumberToLIDMapping[];
  readonly pushnames: proto.IPushname[];
}

export const historyOf = (phone: PhoneContext): History => {
  const chats = chatsOf(phone);
  const people = new Set([phone.account]);
  for (const [, messages] of chats) {
    for (const { from, chat } of messages) {
      for (const jid of [from, chat]) {
        const account = isGroup(jid) ? null : phone.hub.findAccount(jid);
        if (account !== null) people.add(account);
      }
    }
  }
  return {
    conversations: chats.map(([chat, messages]) => conversationOf(phone, chat, messages)),
    phoneNumberToLidMappings: [...people].map(({ jid, lid }) => ({ pnJid: jid, lidJid: lid })),
    pushnames: [...people].map(({ jid, name }) => ({ id: jid, pushname: name })),
  };
};
