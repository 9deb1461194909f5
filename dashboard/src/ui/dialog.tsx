/** Modal dialogs on the native `<dialog>`, which traps the focus and closes on Escape. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { texts } from '../base/texts.ts';
import { useNotify } from './notices.tsx';
import { Action } from './parts.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly close: () => void;
}

export const Dialog = ({ title, children, close }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { within } = useNotify();
  useEffect(() => (element.current === null ? undefined : within(element.current)), [within]);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => {
      // The browser restores the focus when a dialog is closed, but not when it is removed.
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

interface ConfirmDialogProps {
  readonly title: string;
  readonly text: string;
  /** The label of the confirming button. */
  readonly action: string;
  readonly done?: string;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
}

/** Asks for confirmation before a destructive action. */
export const ConfirmDialog = ({ title, text, action, done, act, close }: ConfirmDialogProps) => (
  <Dialog title={title} close={close}>
    <p>{text}</p>
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
        {action}
      </Action>
    </div>
  </Dialog>
);
