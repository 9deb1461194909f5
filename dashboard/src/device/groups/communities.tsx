/** The dialog of an account's communities: lists them, makes one, and shows the chosen one. */
import { useMemo, useState } from 'react';
import { useAccount, useEvents, useMay } from '../../account/account.tsx';
import { useLoad } from '../../api/hooks.ts';
import type { Answer, Schemas } from '../../api/schemas.ts';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { randomId } from '../../outbox/outbox.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { Await, Empty, ErrorText, Field } from '../../ui/parts.tsx';
import { CommunityCard } from './community-card.tsx';
import type { GroupDialogProps } from './group-menu.tsx';

const words = texts.groups.communities;

interface NewProps {
  readonly device: Device;
  readonly made: (jid: string) => void;
}

const NewCommunity = ({ device, made }: NewProps) => {
  const { client } = useAccount();
  const [subject, setSubject] = useState('');
  const [description, setDescription] = useState('');
  // A repeat after a lost response uses the same key; another community gets a new one.
  const key = useMemo(randomId, [subject, description]);
  const form = useForm(['subject', 'description'], async () => {
    if (subject.trim() === '') throw new FieldError('subject', words.needsName);
    const body = { subject: subject.trim(), ...(description.trim() !== '' && { description: description.trim() }) };
    const path = `/v1/devices/${device.id}/communities`;
    made((await client.post<Answer<'createCommunity'>>(path, body, key)).community.jid);
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <Field
        label={words.name}
        maxLength={100}
        error={form.errorOf('subject')}
        value={subject}
        onChange={({ target: { value } }) => setSubject(value)}
      />
      <Field
        label={texts.groups.description}
        maxLength={2048}
        error={form.errorOf('description')}
        value={description}
        onChange={({ target: { value } }) => setDescription(value)}
      />
      <ErrorText error={form.error} />
      <div className="row end">
        <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
          {words.create}
        </button>
      </div>
    </form>
  );
};

interface ListProps {
  readonly all: readonly Schemas['CommunityOfGroups'][];
  readonly open: (jid: string) => void;
}

const List = ({ all, open }: ListProps) =>
  all.length === 0 ? (
    <Empty title={words.none} />
  ) : (
    <ul className="members" aria-label={words.title}>
      {all.map(({ jid, subject, groups }) => (
        <li key={jid}>
          <button type="button" className="link member" onClick={() => open(jid)}>
            {subject}
          </button>
          <span className="dim">{words.count(groups.length)}</span>
        </li>
      ))}
    </ul>
  );

export const Communities = ({ device, nameOf, choose, close }: GroupDialogProps) => {
  const { client } = useAccount();
  const may = useMay();
  const path = `/v1/devices/${device.id}/communities`;
  const all = useLoad(async () => (await client.get<Answer<'listCommunities'>>(path)).communities, path);
  const [shown, show] = useState<string | null>(null);
  useEvents(device.id, ({ type }) => {
    if (type.startsWith('group.')) all.reload();
  });
  if (shown !== null)
    return (
      <CommunityCard
        key={shown}
        device={device}
        nameOf={nameOf}
        jid={shown}
        choose={choose}
        back={() => {
          show(null);
          all.reload();
        }}
        close={close}
      />
    );
  return (
    <Dialog title={words.title} close={close}>
      <Await of={all}>{(found) => <List all={found} open={show} />}</Await>
      {device.status === 'connected' && may('manage') && <NewCommunity device={device} made={show} />}
    </Dialog>
  );
};
