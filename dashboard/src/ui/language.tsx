/** The language of the dashboard. */
import { chooseLanguage, language, texts } from '../base/texts.ts';
import { languageNames, languages } from '../texts/language.ts';

/** To be called before the first paint. */
export const applyLanguage = (): void => {
  document.documentElement.lang = language;
};

export const LanguageSwitch = () => (
  <label className="theme">
    <span className="visually-hidden">{texts.language}</span>
    <select
      value={language}
      onChange={(change) => chooseLanguage(languages.find((one) => one === change.target.value) ?? 'en')}
    >
      {languages.map((one) => (
        <option key={one} value={one} lang={one}>
          {languageNames[one]}
        </option>
      ))}
    </select>
  </label>
);
