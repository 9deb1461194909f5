/** Recipients as callers give them: a JID, a phone number, or a username (docs/spec/messages.md, Recipient). */
import { invalidRequest } from '../../errors.ts';
import {
  isChannelJid,
  parseRecipient,
  type Recipient,
  type Jid,
  jidKind,
  jidUser,
  phoneJid,
  numberRule,
} from '../jid.ts';
import { type NamedByUsername, parseUsername } from './usernames.ts';

export type GivenRecipient = Recipient | (NamedByUsername & { readonly kind: 'username' });

export interface RecipientMembers {
  readonly to?: string | undefined;
  readonly toNumber?: string | undefined;
  readonly toUsername?: string | undefined;
  readonly usernameKey?: string | undefined;
}

const atATime = 'posts to channels cannot be sent at a time';
const mentionsNobody = 'a post to a channel mentions nobody';

const unknownToChannels = [
  ['quotedMessageId', 'a post to a channel quotes nothing'],
  ['mentions', mentionsNobody],
  ['mentionAll', mentionsNobody],
  ['viewOnce', 'a post to a channel cannot be for one view'],
  ['sendAt', atATime],
  ['sendUntil', atATime],
] as const;

const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** The JID of a channel; null: the message goes to a chat. Throws InvalidRequest for what channels do not support. */
export const channelIn = (
  body: RecipientMembers & { readonly [Name in (typeof unknownToChannels)[number][0]]?: unknown },
): string | null => {
  const { to, toNumber, toUsername, usernameKey } = body;
  if (to === undefined || !isChannelJid(to)) return null;
  if ((toNumber ?? toUsername ?? usernameKey) !== undefined)
    throw invalidRequest('Exactly one of to, toNumber and toUsername must be given, not more');
  for (const [name, why] of unknownToChannels)
    if (isGiven(body[name])) throw invalidRequest(`${name} must not be given: ${why}`);
  return to;
};

export const recipientIn = ({ to, toNumber, toUsername, usernameKey }: RecipientMembers): GivenRecipient => {
  if (to !== undefined && isChannelJid(to))
    throw invalidRequest(
      'to must not be a channel here: a channel takes texts, images, videos, audio, documents, stickers and polls, and no forwards',
    );
  if (toUsername === undefined) {
    if (usernameKey !== undefined) throw invalidRequest('usernameKey must be given with toUsername');
    return parseRecipient(to, toNumber);
  }
  if ((to ?? toNumber) !== undefined)
    throw invalidRequest('Exactly one of to, toNumber and toUsername must be given, not more');
  return { kind: 'username', ...parseUsername(toUsername, usernameKey, 'toUsername') };
};

/** Throws InvalidRequest for a username, which may be somebody else's by the time of sending. */
export const lastingRecipient = (recipient: GivenRecipient): Recipient => {
  if (recipient.kind !== 'username') return recipient;
  throw invalidRequest(
    'toUsername cannot be sent at a time, since the name may be somebody else’s by then: look it up, and give to',
  );
};

/** Throws an Error for a username, which only the network can resolve. */
export const foundRecipient = (recipient: GivenRecipient): Recipient => {
  if (recipient.kind === 'username') throw new Error('A username was not looked up');
  return recipient;
};

interface Rule {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const rules: readonly Rule[] = [
  // Brazil: the ninth digit of mobile numbers. Without it they start with 6 to 9 (Anatel, 2012 to 2016), landlines with 2 to 5.
  { pattern: /^55(\d{2})9([6-9]\d{7})$/, replacement: '55$1$2' },
  { pattern: /^55(\d{2})([6-9]\d{7})$/, replacement: '55$19$2' },
  // Mexico: the 1 of mobile numbers until 2019.
  { pattern: /^521(\d{10})$/, replacement: '52$1' },
  { pattern: /^52(\d{10})$/, replacement: '521$1' },
  // Argentina: the 9 of mobile numbers dialled from abroad.
  { pattern: /^549(\d{10})$/, replacement: '54$1' },
  { pattern: /^54(\d{10})$/, replacement: '549$1' },
];

/** Alternative registrations of a number: three countries changed their numbers (docs/spec/messages.md, Recipient). */
export const numberVariants = (number: string): readonly string[] => {
  const rule = rules.find(({ pattern }) => pattern.test(number));
  return rule === undefined ? [number] : [number, number.replace(rule.pattern, rule.replacement)];
};

export const spellingsOf = (jid: Jid): readonly Jid[] =>
  jidKind(jid) === 'phone' ? numberVariants(jidUser(jid)).map(phoneJid) : [jid];

const digits = /^\d{8,15}$/;
const written = /^\+?[\d\s().\-/]{8,40}$/;
const person = /^\d{1,20}@(?:s\.whatsapp\.net|lid|bot)$/;
const group = /^\d{5,25}(?:-\d{5,20})?@g\.us$/;

const wrong = (name: string, text: string, forms: string): Error =>
  written.test(text)
    ? invalidRequest(`${name} must be ${numberRule}; or a JID`)
    : invalidRequest(`${name} must be the digits of a phone number, or ${forms}`);

/** Chats and people in paths, queries and settings: a JID, or a phone number's digits. */
export const parseChat = (text: string, name = 'chat'): Jid => {
  if (digits.test(text)) return phoneJid(text);
  if (person.test(text) || group.test(text)) return text;
  throw wrong(name, text, 'a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us');
};

export const parsePerson = (text: string, name = 'person'): Jid => {
  if (digits.test(text)) return phoneJid(text);
  if (person.test(text)) return text;
  throw wrong(name, text, 'the JID of a person: <digits>@s.whatsapp.net or <digits>@lid');
};

export const parseGroup = (text: string): Jid => {
  const jid = text.includes('@') ? parseChat(text, 'group') : '';
  if (jidKind(jid) !== 'group') throw invalidRequest('group must be the JID of a group: <id>@g.us');
  return jid;
};
