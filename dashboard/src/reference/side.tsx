/** The side of the API reference: search, and all operations and events by their areas. */
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { texts } from '../base/texts.ts';
import { Logo } from '../ui/icons.tsx';
import { LanguageSwitch } from '../ui/language.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';
import type { Document, Entry } from './document.ts';
import { indexOf, search } from './search.ts';

const words = texts.reference;

/** The link of the page that is open stays in view. */
const show = (link: HTMLElement | null): void => link?.scrollIntoView({ block: 'nearest' });

const Link = ({ entry, current }: { readonly entry: Entry; readonly current: string }) => (
  <li>
    <a
      href={`#${entry.id}`}
      aria-current={entry.id === current ? 'page' : undefined}
      ref={entry.id === current ? show : null}
    >
      {entry.kind === 'event' ? <code>{entry.id}</code> : <span lang="en">{entry.title}</span>}
      {entry.kind === 'operation' && <span className={`method ${entry.method.toLowerCase()}`}>{entry.method}</span>}
    </a>
  </li>
);

interface ListProps {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly current: string;
}

const List = ({ title, entries, current }: ListProps) => (
  <section>
    <h2>{title}</h2>
    <ul>
      {entries.map((entry) => (
        <Link key={entry.id} entry={entry} current={current} />
      ))}
    </ul>
  </section>
);

/** The key `/` leads to the search, unless it is typed into a field. */
const useSlash = (focus: () => void): void => {
  useEffect(() => {
    const pressed = (press: KeyboardEvent): void => {
      const inField = press.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(press.target.tagName);
      if (press.key !== '/' || inField || press.ctrlKey || press.metaKey) return;
      press.preventDefault();
      focus();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [focus]);
};

interface Props {
  readonly document: Document;
  readonly entries: readonly Entry[];
  readonly current: string;
}

/** All entries by their areas, or what was found. */
const Lists = ({ document, entries, current, found }: Props & { readonly found: readonly Entry[] | null }) => {
  if (found !== null && found.length === 0) return <p className="hint">{words.notFound}</p>;
  if (found !== null) return <List title={words.found(found.length)} entries={found} current={current} />;
  const ofTag = (tag: string): readonly Entry[] =>
    entries.filter((entry) => entry.kind === 'operation' && entry.tag === tag);
  return (
    <>
      <List title={words.guides} entries={entries.filter(({ kind }) => kind === 'guide')} current={current} />
      {document.tags.map(({ name }) => (
        <List key={name} title={name} entries={ofTag(name)} current={current} />
      ))}
      <List title={words.events} entries={entries.filter(({ kind }) => kind === 'event')} current={current} />
    </>
  );
};

const Brand = ({ current }: { readonly current: string }) => (
  <div className="row between">
    <a className="brand" href="#" aria-current={current === '' ? 'page' : undefined}>
      <Logo />
      <span>{texts.product}</span>
    </a>
    <a href="./">{words.dashboard}</a>
  </div>
);

export const Side = ({ document, entries, current }: Props) => {
  const [query, setQuery] = useState('');
  const [isOpen, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const index = useMemo(() => indexOf(document, entries), [document, entries]);
  const found = query.trim() === '' ? null : search(index, query);
  useSlash(useCallback(() => field.current?.focus(), []));
  // On a phone the list would hide the page that was chosen.
  useEffect(() => setOpen(false), [current]);
  const openFirst = (form: FormEvent): void => {
    form.preventDefault();
    const first = found?.[0];
    if (first !== undefined) location.hash = first.id;
  };
  const type = (text: string): void => {
    setQuery(text);
    setOpen(true);
  };
  return (
    <header className="side">
      <Brand current={current} />
      <form role="search" onSubmit={openFirst}>
        <input
          ref={field}
          type="search"
          aria-label={words.search}
          placeholder={words.searchHint}
          value={query}
          onChange={(change) => type(change.target.value)}
        />
        <p className="visually-hidden" role="status">
          {found === null ? '' : words.found(found.length)}
        </p>
        <button type="button" className="all-operations small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.allOperations}
        </button>
      </form>
      <nav aria-label={words.operations} className={isOpen ? 'open' : ''}>
        <Lists document={document} entries={entries} current={current} found={found} />
      </nav>
      <div className="side-foot">
        <LanguageSwitch />
        <ThemeSwitch />
      </div>
    </header>
  );
};
