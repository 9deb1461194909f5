/** A dialog over the page: the browser's own, which keeps the focus inside and closes on Escape. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from '../texts.ts';
import { Action } from './parts.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly close: () => void;
}

export const Dialog = ({ title, children, close }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      // The browser gives the focus back only to a dialog that is closed, not to one that is taken away.
      const there = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main');
      there?.focus();
    };
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} onClose={close}>
      <header className="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" className="icon" aria-label={texts.close} onClick={() => element.current?.close()}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
};

interface AskProps {
  readonly title: string;
  readonly why: string;
  /** What the button says that does it. */
  readonly verb: string;
  readonly done?: string;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
}

/** Asks before something that cannot be taken back. */
export const Ask = ({ title, why, verb, done, act, close }: AskProps) => (
  <Dialog title={title} close={close}>
    <p>{why}</p>
    <div className="row end">
      <button type="button" className="quiet" onClick={close}>
        {texts.cancel}
      </button>
      <Action
        className="danger"
        {...(done === undefined ? {} : { done })}
        act={async () => {
          await act();
          close();
        }}
      >
        {verb}
      </Action>
    </div>
  </Dialog>
);
