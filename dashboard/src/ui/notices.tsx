/** Short notices at the top of the page, announced to screen readers. */
import { createContext, type ReactNode, useCallback, useContext, useMemo, useRef, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { texts } from '../texts.ts';

interface Notice {
  readonly id: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

interface Notify {
  readonly good: (text: string) => void;
  readonly bad: (error: unknown) => void;
}

const Context = createContext<Notify>({ good: () => undefined, bad: () => undefined });

export const useNotify = (): Notify => useContext(Context);

const shownMs = 6000;

export const Notices = ({ children }: { readonly children: ReactNode }) => {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const last = useRef(0);
  const drop = useCallback((id: number) => setNotices((old) => old.filter((notice) => notice.id !== id)), []);
  const notify = useMemo<Notify>(() => {
    const add = (kind: Notice['kind'], text: string): void => {
      last.current += 1;
      const id = last.current;
      setNotices((old) => [...old.slice(-2), { id, kind, text }]);
      setTimeout(() => drop(id), shownMs);
    };
    return { good: (text) => add('good', text), bad: (error) => add('bad', messageOf(error)) };
  }, [drop]);
  return (
    <Context value={notify}>
      {children}
      <div className="notices" role="status" aria-live="polite">
        {notices.map(({ id, kind, text }) => (
          <div key={id} className={`notice ${kind}`}>
            <span>{text}</span>
            <button type="button" className="icon" aria-label={texts.close} onClick={() => drop(id)}>
              ×
            </button>
          </div>
        ))}
      </div>
    </Context>
  );
};
