/** Every text that people read in the dashboard, in the chosen language. */
import { english } from '../texts/en/index.ts';
import { bestOf, type Language, languages, regional } from '../texts/language.ts';
import type { Texts } from '../texts/translated.ts';

const storageKey = 'handset.language';

/** Separate chunks, so that a reader loads at most one translation. */
const translations: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts>>> = {
  'pt-BR': async () => (await import('../texts/pt-BR/index.ts')).portuguese,
  es: async () => (await import('../texts/es/index.ts')).spanish,
};

/** The reader's choice, or the browser's language. */
export const language =
  languages.find((one) => one === localStorage.getItem(storageKey)) ?? bestOf(navigator.languages);

export const chooseLanguage = (chosen: Language): void => {
  localStorage.setItem(storageKey, chosen);
  // Most modules have read their texts already.
  location.reload();
};

/** For dates and numbers. */
export const locale = regional(language);

/** Starts in English. The chosen language replaces its parts before the first paint. */
export const texts: Texts = english;

const isGroup = (value: unknown): value is object => typeof value === 'object' && value !== null;

const fill = (into: object, from: object): void => {
  for (const [key, value] of Object.entries(from) as readonly (readonly [string, unknown])[]) {
    const old: unknown = Reflect.get(into, key);
    if (isGroup(old) && isGroup(value)) fill(old, value);
    else Reflect.set(into, key, value);
  }
};

/** Leaves the texts in English if those of the language cannot be loaded. No top-level await, which Safari gets wrong (WebKit bug 242740). */
export const loadTexts = async (): Promise<void> => {
  if (language === 'en') return;
  try {
    fill(texts, await translations[language]());
  } catch {
    // An old page of a service that was updated since.
  }
};
