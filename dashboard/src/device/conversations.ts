/** Groups messages by conversation, those that are still to be sent included. */
import type { Message } from '../api/message.ts';
import { phoneNumber } from '../format.ts';
import { addressOf, type Entry } from '../outbox/entry.ts';
import { texts } from '../texts.ts';

export interface Conversation {
  readonly chat: string;
  /** The phone number in digits, if known. */
  readonly number: string | null;
  readonly lid: string | null;
  readonly title: string;
  readonly isGroup: boolean;
  /** Null before the first message is sent. */
  readonly newest: Message | null;
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** Oldest first. */
  readonly unsent: readonly Entry[];
}

/** The person's name, else their number, else the JID. */
const titleOf = (chat: string, messages: readonly Message[]): string => {
  const [newest] = messages;
  if (newest?.isGroup === true) return `${texts.chat.group} ${chat.split('@')[0]}`;
  const name = messages.find(({ direction, pushName }) => direction === 'in' && pushName !== null)?.pushName;
  const number = messages.find(({ chatNumber }) => chatNumber !== null)?.chatNumber;
  return name ?? (number == null ? chat : phoneNumber(number));
};

/** Matches a chat by its JID, number or LID. */
export const isWith = (
  { chat, number, lid }: Pick<Conversation, 'chat' | 'number' | 'lid'>,
  recipient: string,
): boolean => chat === recipient || number === recipient || lid === recipient;

/** The message of the log that the service has made of an entry whose answer is still on its way. */
const isCopy = (message: Message, { type, text, at }: Entry): boolean =>
  message.direction === 'out' &&
  message.type === type &&
  message.text === text &&
  Date.parse(message.timestamp) > Date.parse(at) - 2000;

/** Without those that the log shows already. */
const visible = (entries: readonly Entry[], messages: readonly Message[]): readonly Entry[] =>
  entries.filter((entry) => {
    if (entry.state === 'sent') return !messages.some(({ id }) => id === entry.messageId);
    return entry.state !== 'sending' || !messages.some((message) => isCopy(message, entry));
  });

const begun = (recipient: string, entries: readonly Entry[]): Conversation => {
  const number = /^\d+$/.test(recipient) ? recipient : null;
  return {
    chat: recipient,
    number,
    lid: null,
    title: number === null ? recipient : phoneNumber(number),
    isGroup: recipient.endsWith('@g.us'),
    newest: null,
    messages: [],
    unsent: entries,
  };
};

/** `messages` and the result are newest first, `entries` oldest first. */
export const conversationsOf = (messages: readonly Message[], entries: readonly Entry[]): readonly Conversation[] => {
  const chats = Map.groupBy(messages, ({ chat }) => chat);
  const unsent = new Map(Map.groupBy(entries, ({ recipient }) => addressOf(recipient)));
  const known = [...chats].flatMap(([chat, those]): readonly Conversation[] => {
    const [newest] = those;
    if (newest === undefined) return [];
    const number = those.find(({ chatNumber }) => chatNumber !== null)?.chatNumber ?? null;
    const lid = those.find(({ chatLid }) => chatLid !== null)?.chatLid ?? null;
    const mine = [...unsent.keys()].filter((recipient) => isWith({ chat, number, lid }, recipient));
    const waiting = mine.flatMap((recipient) => unsent.get(recipient) ?? []);
    for (const recipient of mine) unsent.delete(recipient);
    return [
      {
        chat,
        number,
        lid,
        title: titleOf(chat, those),
        isGroup: newest.isGroup,
        newest,
        messages: those.toReversed(),
        unsent: visible(waiting, those),
      },
    ];
  });
  return [...[...unsent].map(([recipient, those]) => begun(recipient, those)), ...known];
};
