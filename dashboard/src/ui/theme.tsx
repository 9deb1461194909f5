/** The colour theme: light, dark, or the system's. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';

type Theme = 'system' | 'light' | 'dark';
const themes: readonly Theme[] = ['system', 'light', 'dark'];

const stored = (): Theme => themes.find((theme) => theme === localStorage.getItem('handset.theme')) ?? 'system';

const apply = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};

/** To be called before the first paint, so that the theme does not flash. */
export const applyStoredTheme = (): void => apply(stored());

export const ThemeSwitch = () => {
  const [theme, setTheme] = useState(stored);
  return (
    <label className="theme">
      <span className="visually-hidden">{texts.theme.label}</span>
      <select
        value={theme}
        onChange={(change) => {
          const chosen = themes.find((one) => one === change.target.value) ?? 'system';
          localStorage.setItem('handset.theme', chosen);
          apply(chosen);
          setTheme(chosen);
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {texts.theme[one]}
          </option>
        ))}
      </select>
    </label>
  );
};
