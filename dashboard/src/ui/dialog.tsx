/** Modal dialogs on the native `<dialog>`, which traps the focus and closes on Escape. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { texts } from '../base/texts.ts';
import { useNotify } from './notices.tsx';
import { Action, Field } from './parts.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ReactNode;
  readonly close: () => void;
}

/** Where something is destroyed, Cancel; elsewhere the first field. The browser would take the closing button. */
const firstIn = (dialog: HTMLElement | null): HTMLElement | undefined =>
  [
    ...(dialog?.querySelectorAll<HTMLElement>('.cancel, :is(input, select, textarea):not(:disabled, [type=file])') ??
      []),
  ].find((one) => one.checkVisibility());

export const Dialog = ({ title, children, close }: DialogProps) => {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { within } = useNotify();
  useEffect(() => (element.current === null ? undefined : within(element.current)), [within]);
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    firstIn(element.current)?.focus();
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
  /** A name to type first, for what cannot be undone. */
  readonly name?: string;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
}

/** Asks for confirmation before a destructive action. */
export const ConfirmDialog = ({ title, text, action, done, name, act, close }: ConfirmDialogProps) => {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} close={close}>
      <p>{text}</p>
      {name !== undefined && (
        <Field label={texts.typeName(name)} value={typed} onChange={(change) => setTyped(change.target.value)} />
      )}
      <div className="row end">
        <button type="button" className="quiet cancel" onClick={close}>
          {texts.cancel}
        </button>
        <Action
          className="danger"
          disabled={name !== undefined && typed.trim() !== name.trim()}
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
};
