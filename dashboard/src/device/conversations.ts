/** Messages by conversation. */
import type { Message } from '../api/types.ts';
import { phoneNumber } from '../format.ts';
import { texts } from '../texts.ts';

export interface Conversation {
  readonly chat: string;
  /** Digits, where they are known. */
  readonly number: string | null;
  readonly title: string;
  readonly newest: Message;
  /** Oldest first. */
  readonly messages: readonly Message[];
}

/** A person's own name, the number, or what the network calls the chat. */
const titleOf = (chat: string, messages: readonly Message[]): string => {
  const [newest] = messages;
  if (newest?.isGroup === true) return `${texts.chat.group} ${chat.split('@')[0]}`;
  const name = messages.find(({ direction, pushName }) => direction === 'in' && pushName !== null)?.pushName;
  const number = messages.find(({ chatNumber }) => chatNumber !== null)?.chatNumber;
  return name ?? (number == null ? chat : phoneNumber(number));
};

/** `messages` newest first; so are the conversations. */
export const conversationsOf = (messages: readonly Message[]): readonly Conversation[] => {
  const chats = new Map<string, Message[]>();
  for (const message of messages) {
    const known = chats.get(message.chat);
    if (known === undefined) chats.set(message.chat, [message]);
    else known.push(message);
  }
  return [...chats].flatMap(([chat, those]) => {
    const [newest] = those;
    if (newest === undefined) return [];
    const number = those.find(({ chatNumber }) => chatNumber !== null)?.chatNumber ?? null;
    return [{ chat, number, title: titleOf(chat, those), newest, messages: those.toReversed() }];
  });
};

/** `whom`: a chat, or what was written into the field for the recipient. */
export const holds = ({ chat, number }: Conversation, whom: string): boolean => chat === whom || number === whom;
