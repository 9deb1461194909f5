/** The samples of an operation, with what the reader filled in. The chosen language stays. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';
import { Choice, CopyButton } from '../ui/parts.tsx';
import type { Document, OperationEntry } from './document.ts';
import { type Filled, sampleOf } from './request.ts';
import { type Language, languages } from './samples.ts';

const words = texts.reference;

const names: Readonly<Record<Language, string>> = {
  curl: 'curl',
  javascript: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

const choices = ['curl', 'javascript', 'python', 'php', 'go'] as const;

const storageKey = 'handset.language-of-samples';

const chosen = (): Language => choices.find((one) => one === localStorage.getItem(storageKey)) ?? 'curl';

interface Props {
  readonly document: Document;
  readonly entry: OperationEntry;
  readonly filled: Filled;
}

export const Samples = ({ document, entry, filled }: Props) => {
  const [language, setLanguage] = useState(chosen);
  const sample = languages[language](sampleOf(document, entry, filled, location.origin));
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
        value={language}
        options={choices.map((one) => [one, names[one]])}
        choose={choose}
      />
      <pre className="sample" tabIndex={0} role="region" aria-label={`${words.samples}: ${names[language]}`}>
        {sample}
      </pre>
    </section>
  );
};
