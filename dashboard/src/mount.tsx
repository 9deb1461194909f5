/** Starts a page: language, theme and motion as they are kept, the texts, then what the page shows. */
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { loadTexts } from './texts.ts';
import { applyLanguage } from './ui/language.tsx';
import { applyStoredMotion } from './ui/motion.tsx';
import { Notices } from './ui/notices.tsx';
import { applyStoredTheme } from './ui/theme.tsx';

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
