/** A dialog with a form that sends a message. */
import type { FormEvent, ReactNode } from 'react';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly submit: (event: FormEvent) => void;
  readonly children: ReactNode;
}

export const SendDialog = ({ title, close, submit, children }: Props) => (
  <Dialog title={title} close={close}>
    <form onSubmit={submit} noValidate>
      {children}
      <div className="row end">
        <button type="submit" className="primary">
          {texts.chat.send}
        </button>
      </div>
    </form>
  </Dialog>
);
