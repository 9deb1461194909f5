/** Names of chats and contacts as a search compares them. */
import { numberVariants } from '../../domain/chats/number-variants.ts';
import { folded } from '../../domain/messages/letters.ts';

/** Signs between which people write the digits of a number. */
const betweenDigits = /[\s()+./-]/g;

export const matches = (q: string, name: string | null, number: string | null): boolean => {
  if (name !== null && folded(name).includes(folded(q))) return true;
  const digits = q.replaceAll(betweenDigits, '');
  return digits !== '' && number !== null && numberVariants(number).some((each) => each.includes(digits));
};
