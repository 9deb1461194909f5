/** Numbers, plurals and names in Brazilian Portuguese. */
import { wordsIn } from '../words.ts';

export const { count, duration, number } = wordsIn('pt-BR');

/** The account itself, in the place of a name. */
export const you = 'Você';

/** A name inside a sentence. */
export const inside = (name: string): string => (name === you ? 'você' : name);
