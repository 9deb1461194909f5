/** The names of the people in the loaded messages. */
import type { Chat } from '../../api/chat.ts';
import type { Message, Person } from '../../api/message.ts';
import { phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';

export type NameOf = (person: Person) => string;

const addressesOf = ({ jid, number, lid }: Person): readonly string[] =>
  [jid, number, lid].filter((address) => address !== null);

export const authorOf = ({ from, fromNumber, fromLid, fromUsername }: Message): Person => ({
  jid: from,
  number: fromNumber,
  lid: fromLid,
  username: fromUsername,
});

/** The part of a JID before its server. */
const userOf = (jid: string): string => jid.split('@')[0] ?? jid;

const addressOf = ({ jid, number, username }: Person): string => {
  if (number === null && !jid.endsWith('@s.whatsapp.net')) return username ? `@${username}` : userOf(jid);
  return phoneNumber(number ?? userOf(jid));
};

/**
 * `messages` are newest first: the newest name of each person counts. Without a name it is the number, the username, or what the JID
 * has. `own`: the phone number of the account; `chats`: their names are those of the address book, if they are there.
 */
export const namesIn = (messages: readonly Message[], own: string | null, chats: readonly Chat[]): NameOf => {
  const names = new Map<string, string>(own === null ? [] : [[own, texts.chat.you]]);
  for (const { chat, chatNumber, chatLid, name } of chats) {
    if (name === null) continue;
    for (const address of [chat, chatNumber, chatLid]) if (address !== null) names.set(address, name);
  }
  for (const message of messages) {
    const name = message.direction === 'out' ? texts.chat.you : message.pushName;
    if (name === null) continue;
    for (const address of addressesOf(authorOf(message))) if (!names.has(address)) names.set(address, name);
  }
  return (person) => {
    const known = addressesOf(person).find((address) => names.has(address));
    return (known === undefined ? undefined : names.get(known)) ?? addressOf(person);
  };
};

/** Recognises the linked account by the addresses of its messages or its phone number. */
export const ownIn = (messages: readonly Message[], own: string | null): ((person: Person) => boolean) => {
  const mine = messages.filter(({ direction }) => direction === 'out').flatMap((one) => addressesOf(authorOf(one)));
  const addresses = new Set(own === null ? mine : [own, ...mine]);
  return (person) => addressesOf(person).some((address) => addresses.has(address));
};

/** People by the digits that mention them in a text. */
export const mentionedBy = (mentions: readonly Person[]): ReadonlyMap<string, Person> =>
  new Map(mentions.flatMap((person) => addressesOf(person).map((address) => [userOf(address), person] as const)));

const tints = 7;

/** The colour class of a person, the same in all messages. */
export const tintOf = ({ jid, number, lid }: Person): string => {
  let sum = 0;
  for (const letter of number ?? lid ?? jid) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973;
  return `tint-${sum % tints}`;
};
