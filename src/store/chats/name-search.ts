/** Names of chats and contacts as a search compares them. */
import { folded } from '../../domain/messages/letters.ts';

/** Signs between which people write the digits of a number. */
const betweenDigits = /[\s()+./-]/g;

export const matches = (q: string, name: string | null, number: string | null): boolean => {
  const digits = q.replaceAll(betweenDigits, '');
  return (name !== null && folded(name).includes(folded(q))) || (digits !== '' && number?.includes(digits) === true);
};
