/** Names of chats and contacts in the form that a search compares. */
import { numberVariants } from '../../domain/chats/recipient.ts';
import { folded } from '../../domain/messages/letters.ts';

const betweenDigits = /[\s()+./-]/g;

export const matches = (q: string, name: string | null, number: string | null): boolean => {
  if (name !== null && folded(name).includes(folded(q))) return true;
  const digits = q.replaceAll(betweenDigits, '');
  return digits !== '' && number !== null && numberVariants(number).some((each) => each.includes(digits));
};

/** `q` may begin with `@`. */
export const matchesUsername = (q: string, username: string | null): boolean => {
  const wanted = q.trim().replace(/^@/, '').toLowerCase();
  return username !== null && wanted !== '' && username.toLowerCase().includes(wanted);
};
