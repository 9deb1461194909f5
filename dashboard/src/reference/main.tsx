/** Entry point of `/docs`: the API reference, made from the service's own OpenAPI document. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { makeClient } from '../api/client.ts';
import { useLoad } from '../hooks.ts';
import '../styles/index.css';
import { loadTexts } from '../texts.ts';
import { applyLanguage } from '../ui/language.tsx';
import { applyStoredMotion } from '../ui/motion.tsx';
import { Notices } from '../ui/notices.tsx';
import { Await } from '../ui/parts.tsx';
import { applyStoredTheme } from '../ui/theme.tsx';
import type { Document } from './document.ts';
import { Reference } from './page.tsx';
import './reference.css';

const open = makeClient('', () => undefined);

const Loading = () => {
  const document = useLoad(() => open.get<Document>('/openapi.json'), 'once');
  return <Await of={document}>{(loaded) => <Reference document={loaded} />}</Await>;
};

applyLanguage();
applyStoredTheme();
applyStoredMotion();

const start = async (): Promise<void> => {
  await loadTexts();
  const root = document.getElementById('root');
  if (root === null) return;
  createRoot(root).render(
    <StrictMode>
      <Notices>
        <Loading />
      </Notices>
    </StrictMode>,
  );
};

void start();
