/** Names of chats and contacts as a search compares them. */
import { plainText } from '../../domain/messages/search.ts';

/** Signs between which people write the digits of a number. */
const betweenDigits = /[\s()+./-]/g;

export const matches = (q: string, name: string | null, number: string | null): boolean => {
  const digits = q.replaceAll(betweenDigits, '');
  return (
    (name !== null && plainText(name).includes(plainText(q))) || (digits !== '' && number?.includes(digits) === true)
  );
};
