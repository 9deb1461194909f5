/** The dialog to create or edit a user. */
import { useState } from 'react';
import type { Client } from '../api/client.ts';
import type { User } from '../api/types.ts';
import { texts } from '../base/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useForm } from '../ui/form.ts';
import { ErrorText, Field } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';

const words = texts.operator;
const usualLimit = 10;

interface Props {
  readonly client: Client;
  /** Null creates a user. */
  readonly user: User | null;
  readonly saved: () => void;
  readonly close: () => void;
}

export const EditUser = ({ client, user, saved, close }: Props) => {
  const notify = useNotify();
  const [name, setName] = useState(user?.name ?? '');
  const [limit, setLimit] = useState(String(user?.deviceLimit ?? usualLimit));
  const form = useForm(['name', 'deviceLimit'], async () => {
    const body = { name: name.trim(), deviceLimit: Number(limit) };
    if (user === null) await client.post('/admin/v1/users', body);
    else await client.put(`/admin/v1/users/${user.id}`, body);
    notify.good(user === null ? words.created : words.saved);
    saved();
    close();
  });
  return (
    <Dialog title={user === null ? words.create : words.editUser(user.name)} close={close}>
      <form onSubmit={form.submit} noValidate>
        <Field
          label={words.name}
          value={name}
          error={form.errorOf('name')}
          onChange={(change) => setName(change.target.value)}
        />
        <Field
          label={words.limit}
          type="number"
          min={0}
          error={form.errorOf('deviceLimit')}
          value={limit}
          onChange={(change) => setLimit(change.target.value)}
        />
        <ErrorText error={form.error} />
        <div className="row end">
          <button type="submit" className="primary">
            {user === null ? words.submit : texts.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
