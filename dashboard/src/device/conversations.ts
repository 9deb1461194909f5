/** Groups messages by conversation. */
import type { Message } from '../api/message.ts';
import { phoneNumber } from '../format.ts';
import { texts } from '../texts.ts';

export interface Conversation {
  readonly chat: string;
  /** The phone number in digits, if known. */
  readonly number: string | null;
  readonly title: string;
  readonly newest: Message;
  /** Oldest first. */
  readonly messages: readonly Message[];
}

/** The person's name, else their number, else the JID. */
const titleOf = (chat: string, messages: readonly Message[]): string => {
  const [newest] = messages;
  if (newest?.isGroup === true) return `${texts.chat.group} ${chat.split('@')[0]}`;
  const name = messages.find(({ direction, pushName }) => direction === 'in' && pushName !== null)?.pushName;
  const number = messages.find(({ chatNumber }) => chatNumber !== null)?.chatNumber;
  return name ?? (number == null ? chat : phoneNumber(number));
};

/** Both `messages` and the result are newest first. */
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

/** Matches a chat by its JID or number. */
export const isWith = ({ chat, number }: Conversation, recipient: string): boolean =>
  chat === recipient || number === recipient;
