/** The dialog that creates a group and shows the result for each person. */
import { useMemo, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Answer } from '../../api/schemas.ts';
import { randomId } from '../../outbox/outbox.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { ErrorText, Field } from '../../ui/parts.tsx';
import type { GroupDialogProps } from './group-menu.tsx';
import { addressesIn, nobody, PeopleField, settled } from './people-field.tsx';
import { Results } from './results.tsx';

const words = texts.groups;

export const NewGroup = ({ device, nameOf, choose, close }: GroupDialogProps) => {
  const { client } = useAccount();
  const [subject, setSubject] = useState('');
  const [people, setPeople] = useState(nobody);
  const [made, setMade] = useState<Answer<'createGroup'> | null>(null);
  // A repeat after a lost response uses the same key; a changed group gets a new one.
  const all = settled(people);
  const key = useMemo(randomId, [subject, all.chosen.map(({ address }) => address).join()]);
  const form = useForm(['subject', 'members'], async () => {
    if (subject.trim() === '') throw new FieldError('subject', words.needsSubject);
    setPeople(all);
    const members = addressesIn(all);
    const body = { subject: subject.trim(), members };
    setMade(await client.post<Answer<'createGroup'>>(`/v1/devices/${device.id}/groups`, body, key));
  });
  const open = (): void => {
    close();
    if (made !== null) choose(made.group.jid);
  };
  return (
    <Dialog title={made === null ? words.create : words.created(made.group.subject)} close={close}>
      {made === null ? (
        <form onSubmit={form.submit} noValidate>
          <Field
            label={words.subject}
            maxLength={100}
            error={form.errorOf('subject')}
            value={subject}
            onChange={(input) => setSubject(input.target.value)}
          />
          <PeopleField device={device} people={people} change={setPeople} refused={form.errorOf('members')} />
          <ErrorText error={form.error} />
          <div className="row end">
            <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
              {words.createNow}
            </button>
          </div>
        </form>
      ) : (
        <>
          <Results results={made.results} nameOf={nameOf} />
          <div className="row end">
            <button type="button" className="primary" onClick={open}>
              {words.open}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
};
