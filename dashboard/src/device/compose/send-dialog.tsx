/** A dialog with a form that sends a message. */
import type { ReactNode } from 'react';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import type { Form } from '../../ui/form.ts';
import { ErrorText } from '../../ui/parts.tsx';

interface Props {
  readonly title: string;
  readonly close: () => void;
  readonly form: Pick<Form<string>, 'busy' | 'error' | 'submit'>;
  readonly children: ReactNode;
}

export const SendDialog = ({ title, close, form, children }: Props) => (
  <Dialog title={title} close={close}>
    <form onSubmit={form.submit} noValidate>
      {children}
      <ErrorText error={form.error} />
      <div className="row end">
        <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
          {texts.chat.send}
        </button>
      </div>
    </form>
  </Dialog>
);
