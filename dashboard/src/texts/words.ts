/** Numbers, plurals and spans of time in a language. */
import { type Language, regional } from './language.ts';

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

export const wordsIn = (language: Language) => {
  const locale = regional(language);
  const numbers = new Intl.NumberFormat(locale);
  const plurals = new Intl.PluralRules(locale);
  const number = (n: number): string => numbers.format(n);
  return {
    number,
    count: (n: number, one: string, other: string): string =>
      `${number(n)} ${plurals.select(n) === 'one' ? one : other}`,
    /** The largest unit that gives a whole number. */
    duration: (seconds: number): string => {
      const [unit, size] = units.find(([, each]) => seconds % each === 0) ?? ['second', 1];
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
    },
  };
};
