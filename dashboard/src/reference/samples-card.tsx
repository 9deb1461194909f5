/** The samples of an operation, with what the reader filled in. The chosen language stays. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';
import { Choice, CopyButton } from '../ui/parts.tsx';
import type { Document, OperationEntry } from './document.ts';
import { type Filled, sampleOf } from './request.ts';
import { type Language, languages } from './samples.ts';

const words = texts.reference;

const names: Readonly<Record<Language, string>> = {
  client: '@handset/client',
  handset: 'handset',
  python: 'Python',
  curl: 'curl',
  javascript: 'JavaScript',
  php: 'PHP',
  go: 'Go',
};

const choices = ['client', 'handset', 'python', 'curl', 'javascript', 'php', 'go'] as const;

const storageKey = 'handset.language-of-samples';

const chosen = (): Language => choices.find((one) => one === localStorage.getItem(storageKey)) ?? 'client';

interface Props {
  readonly document: Document;
  readonly entry: OperationEntry;
  readonly filled: Filled;
}

export const Samples = ({ document, entry, filled }: Props) => {
  const [language, setLanguage] = useState(chosen);
  const request = sampleOf(document, entry, filled, location.origin);
  const available = choices.filter((one) => languages[one](request) !== null);
  const shown = available.includes(language) ? language : 'curl';
  const sample = languages[shown](request) ?? '';
  const choose = (next: Language): void => {
    localStorage.setItem(storageKey, next);
    setLanguage(next);
  };
  return (
    <section className="card">
      <div className="row between">
        <h2>{words.samples}</h2>
        <CopyButton text={sample} label={words.copySample} />
      </div>
      <Choice
        label={words.language}
        value={shown}
        options={available.map((one) => [one, names[one]])}
        choose={choose}
      />
      <pre className="sample" tabIndex={0} role="region" aria-label={`${words.samples}: ${names[shown]}`}>
        {sample}
      </pre>
    </section>
  );
};
