/** Short notices above the page or in the dialog on top of it, announced to screen readers. Errors stay until they are dismissed. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { messageOf } from '../api/client.ts';
import { texts } from '../base/texts.ts';

interface Notice {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
  /** The page that it belongs to. */
  readonly page: string;
}

interface Notify {
  readonly good: (text: string) => void;
  readonly bad: (error: unknown) => void;
  /** Shows the notices in a modal dialog, outside of which nothing can be used. Returns how to leave it. */
  readonly within: (dialog: HTMLElement) => () => void;
}

const Context = createContext<Notify>({ good: () => undefined, bad: () => undefined, within: () => () => undefined });

export const useNotify = (): Notify => useContext(Context);

const shownMs = 6000;
const maxShown = 4;

/** Without the conversation of a device. */
const currentPage = (): string => location.hash.split('/').slice(0, 4).join('/');

interface ListProps {
  readonly notices: readonly Notice[];
  readonly drop: (id: number) => void;
}

/** Tells the styles how much of the page is covered. */
const observeHeight = (list: HTMLElement | null): (() => void) | undefined => {
  if (list === null) return undefined;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => style.setProperty('--notices', `${list.offsetHeight}px`));
  observer.observe(list);
  return () => observer.disconnect();
};

const List = ({ notices, drop }: ListProps) => (
  <div className="notices" role="status" aria-live="polite" ref={observeHeight}>
    {notices.map(({ id, kind, text }) => (
      <div key={id} className={`notice ${kind}`}>
        <span>{text}</span>
        <button type="button" className="icon" aria-label={texts.close} onClick={() => drop(id)}>
          ×
        </button>
      </div>
    ))}
  </div>
);

export const Notices = ({ children }: { readonly children: ReactNode }) => {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const [dialogs, setDialogs] = useState<readonly HTMLElement[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => setNotices((old) => old.filter((notice) => notice.id !== id)), []);
  const notify = useMemo<Notify>(() => {
    const add = (kind: Notice['kind'], text: string): void => {
      last.current += 1;
      const id = last.current;
      const page = currentPage();
      const isKept = (one: Notice): boolean => one.kind === 'bad' && one.text !== text;
      setNotices((old) => [...old.filter(isKept).slice(1 - maxShown), { id, kind, text, page }]);
      if (kind === 'good') setTimeout(() => drop(id), shownMs);
    };
    return {
      good: (text) => add('good', text),
      bad: (error) => add('bad', messageOf(error)),
      within(dialog) {
        setDialogs((old) => [...old, dialog]);
        return () => setDialogs((old) => old.filter((one) => one !== dialog));
      },
    };
  }, [drop]);
  useEffect(() => {
    const left = (): void =>
      setNotices((old) => old.filter(({ kind, page }) => kind === 'bad' || page === currentPage()));
    addEventListener('hashchange', left);
    return () => removeEventListener('hashchange', left);
  }, []);
  const top = dialogs.at(-1);
  const list = <List notices={notices} drop={drop} />;
  return (
    <Context value={notify}>
      {children}
      {top === undefined ? list : createPortal(list, top)}
    </Context>
  );
};
