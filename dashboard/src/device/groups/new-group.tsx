/** The dialog that makes a group; it then tells what became of each person. */
import { type FormEvent, useMemo, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { messageOf } from '../../api/client.ts';
import type { Group, MemberResult } from '../../api/group.ts';
import { randomId } from '../../outbox/outbox.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/parts.tsx';
import type { GroupDialogProps } from './group-menu.tsx';
import { type Chosen, PeopleField } from './people-field.tsx';
import { Results } from './results.tsx';

const words = texts.groups;

interface Made {
  readonly group: Group;
  readonly results: readonly MemberResult[];
}

export const NewGroup = ({ device, nameOf, choose, close }: GroupDialogProps) => {
  const { client } = useAccount();
  const [subject, setSubject] = useState('');
  const [people, setPeople] = useState<readonly Chosen[]>([]);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  // Another group is another request; the same one, made again after a lost answer, is not.
  const key = useMemo(randomId, [subject, people]);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    if (subject.trim() === '') return setError(words.needsSubject);
    setBusy(true);
    setError(null);
    try {
      const members = people.map(({ address }) => address);
      const wish = { subject: subject.trim(), members };
      setMade(await client.post<Made>(`/v1/devices/${device.id}/groups`, wish, key));
    } catch (failure) {
      setError(messageOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const open = (): void => {
    close();
    if (made !== null) choose(made.group.jid);
  };
  return (
    <Dialog title={made === null ? words.create : words.created(made.group.subject)} close={close}>
      {made === null ? (
        <form onSubmit={(form) => void submit(form)} noValidate>
          <Field
            label={words.subject}
            maxLength={100}
            error={error}
            value={subject}
            onChange={(input) => setSubject(input.target.value)}
          />
          <PeopleField device={device} chosen={people} change={setPeople} />
          <div className="row end">
            <button type="submit" className="primary" disabled={busy} aria-busy={busy}>
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
