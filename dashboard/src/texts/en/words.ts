/** Numbers, plurals and names in English. */
import { wordsIn } from '../words.ts';

export const { count, duration, number } = wordsIn('en');

/** The account itself, in the place of a name. */
export const you = 'You';

/** A name inside a sentence. */
export const inside = (name: string): string => (name === you ? 'you' : name);
