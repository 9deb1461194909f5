/** Which part of a long list is shown, and the way to the parts beside it. */
import { useState } from 'react';
import { texts } from '../base/texts.ts';

const pageSize = 25;

interface Pages<T> {
  readonly shown: readonly T[];
  readonly first: number;
  readonly all: number;
  readonly show: (first: number) => void;
}

/** `key` names the list: another one is shown from its start. */
export const usePages = <T,>(items: readonly T[], key: string): Pages<T> => {
  const [at, setAt] = useState({ key, first: 0 });
  const wanted = at.key === key ? at.first : 0;
  const first = wanted < items.length ? wanted : 0;
  const show = (next: number): void => setAt({ key, first: next });
  return { shown: items.slice(first, first + pageSize), first, all: items.length, show };
};

export const Pager = <T,>({ pages: { first, all, shown, show } }: { readonly pages: Pages<T> }) => {
  if (all <= pageSize) return null;
  const last = first + shown.length;
  return (
    <nav className="row between pager" aria-label={texts.pages.label}>
      <p className="hint" role="status">
        {texts.pages.shown(first + 1, last, all)}
      </p>
      <div className="row">
        <button type="button" className="small" disabled={first === 0} onClick={() => show(first - pageSize)}>
          {texts.pages.previous}
        </button>
        <button type="button" className="small" disabled={last === all} onClick={() => show(last)}>
          {texts.pages.next}
        </button>
      </div>
    </nav>
  );
};
