/** The API reference: search and operations on the side, one operation or event beside them. */
import { texts } from '../base/texts.ts';
import { type Document, type EventEntry, entriesOf } from './document.ts';
import { Examples } from './examples.tsx';
import { SchemaFields } from './fields.tsx';
import { GuidePage, guides } from './guides.tsx';
import { Prose } from './prose.tsx';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Empty } from '../ui/parts.tsx';
import { OperationPage } from './operation.tsx';
import { Side } from './side.tsx';
import { useSecret } from './sign-in.tsx';
import { Start } from './start.tsx';

const EventPage = ({ document, entry }: { readonly document: Document; readonly entry: EventEntry }) => (
  <>
    <header className="operation-head">
      <h1>
        <code>{entry.id}</code>
      </h1>
      <p className="lead">
        <Prose text={entry.title} />
      </p>
    </header>
    <div className="columns">
      <div className="stack">
        <SchemaFields title={texts.reference.payload} document={document} schema={entry.content.schema} />
      </div>
      <div className="stack">
        <Examples title={texts.reference.example} content={entry.content} />
      </div>
    </div>
  </>
);

const words = texts.reference;

const readHash = (): string => decodeURIComponent(location.hash.slice(1));

const useHash = (): string => {
  const [hash, setHash] = useState(readHash);
  useEffect(() => {
    const changed = (): void => setHash(readHash());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return hash;
};

export const Reference = ({ document: described }: { readonly document: Document }) => {
  const entries = useMemo(() => [...guides, ...entriesOf(described)], [described]);
  const current = useHash();
  const session = useSecret();
  const main = useRef<HTMLElement>(null);
  const entry = entries.find(({ id }) => id === current);
  const title = entry?.title ?? words.title;
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = `${title} · ${texts.product}`;
    if (!isFirst.current) {
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [title, current]);
  return (
    <div className="shell reference">
      <Side document={described} entries={entries} current={current} />
      <main id="main" tabIndex={-1} ref={main}>
        {current === '' && <Start document={described} session={session} />}
        {current !== '' && entry === undefined && (
          <Empty title={words.unknown}>
            <a className="button" href="#">
              {words.title}
            </a>
          </Empty>
        )}
        {entry?.kind === 'operation' && (
          <OperationPage key={entry.id} document={described} entry={entry} session={session} />
        )}
        {entry?.kind === 'guide' && <GuidePage entry={entry} />}
        {entry?.kind === 'event' && <EventPage key={entry.id} document={described} entry={entry} />}
      </main>
    </div>
  );
};
