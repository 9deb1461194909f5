/** Starts a page: language, theme and motion as they are kept, the texts, then what the page shows. */
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadTexts } from '../base/texts.ts';
import { applyLanguage } from './language.tsx';
import { applyStoredMotion } from './motion.tsx';
import { Notices } from './notices.tsx';
import { applyStoredTheme } from './theme.tsx';

export const mount = async (page: ReactNode): Promise<void> => {
  applyLanguage();
  applyStoredTheme();
  applyStoredMotion();
  await loadTexts();
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <Notices>{page}</Notices>
    </StrictMode>,
  );
};
