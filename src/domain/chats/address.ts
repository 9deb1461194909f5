/** Chats and people as paths and settings name them: a JID, or the digits of a phone number. */
import { invalidRequest } from '../../errors.ts';
import { type Jid, phoneJid } from '../jid.ts';

const digits = /^\d{8,15}$/;
const person = /^\d{5,20}@(?:s\.whatsapp\.net|lid)$/;
const group = /^\d{5,25}(?:-\d{5,20})?@g\.us$/;

/** Throws InvalidRequest that names the member. */
export const parseChat = (text: string, name = 'chat'): Jid => {
  if (digits.test(text)) return phoneJid(text);
  if (person.test(text) || group.test(text)) return text;
  throw invalidRequest(
    `${name} must be the digits of a phone number, or a JID: <digits>@s.whatsapp.net, <digits>@lid or <id>@g.us`,
  );
};

/** Throws InvalidRequest for a group, too. */
export const parsePerson = (text: string, name = 'person'): Jid => {
  if (digits.test(text)) return phoneJid(text);
  if (person.test(text)) return text;
  throw invalidRequest(
    `${name} must be the digits of a phone number, or the JID of a person: <digits>@s.whatsapp.net or <digits>@lid`,
  );
};
