/** Numbers, plurals and names in Spanish. */
import { wordsIn } from '../words.ts';

export const { count, duration, number } = wordsIn('es');

/** The account itself, in the place of a name. */
export const you = 'Tú';

/** A name inside a sentence. */
export const inside = (name: string): string => (name === you ? 'ti' : name);
