/** The languages of the dashboard. */

export const languages = ['en', 'pt-BR', 'es'] as const;

export type Language = (typeof languages)[number];

/** Each in itself. */
export const languageNames: Readonly<Record<Language, string>> = {
  en: 'English',
  'pt-BR': 'Português (Brasil)',
  es: 'Español',
};

const baseOf = (tag: string): string => tag.split('-')[0] ?? tag;

/** The best language for a reader who prefers `tags`, best first. */
export const bestOf = (tags: readonly string[]): Language =>
  tags.flatMap((tag) => languages.find((one) => baseOf(one) === baseOf(tag)) ?? []).at(0) ?? 'en';

/** The reader's own region of a language, for example `en-GB`, so that dates and numbers look as they are used to. */
export const regional = (language: Language): string =>
  navigator.languages.find((tag) => baseOf(tag) === baseOf(language) && tag !== baseOf(tag)) ?? language;
