/** Chats and people in paths, queries and settings: a JID, or a phone number's digits. */
import { invalidRequest } from '../../errors.ts';
import { type Jid, jidKind, numberRule, phoneJid } from '../jid.ts';

const digits = /^\d{8,15}$/;
const written = /^\+?[\d\s().\-/]{8,40}$/;
const person = /^\d{1,20}@(?:s\.whatsapp\.net|lid|bot)$/;
const group = /^\d{5,25}(?:-\d{5,20})?@g\.us$/;

const wrong = (name: string, text: string, forms: string): Error =>
  written.test(text)
    ? invalidRequest(`${name} must be ${numberRule}; or a JID`)
    : invalidRequest(`${name} must be the digits of a phone number, or ${forms}`);

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
