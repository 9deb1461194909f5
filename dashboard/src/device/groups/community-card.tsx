/** The card of a community: its groups, which come and go, its people, and the ways out of it. */
import { useId, useState } from 'react';
import { useAccount, useEvents, useMay } from '../../account/account.tsx';
import { useLoad } from '../../api/hooks.ts';
import type { Answer, Schemas } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { Action, Await } from '../../ui/parts.tsx';
import type { GroupDialogProps } from './group-menu.tsx';

const words = texts.groups.communities;

interface Props extends GroupDialogProps {
  readonly jid: string;
  readonly back: () => void;
}

type Community = Schemas['WholeCommunity'];

interface ChangeProps extends Pick<Props, 'device'> {
  readonly community: Community;
  readonly path: string;
  readonly reload: () => void;
}

const AddGroup = ({ device, community, path, reload }: ChangeProps) => {
  const { client } = useAccount();
  const id = useId();
  const [chosen, setChosen] = useState('');
  const all = `/v1/devices/${device.id}/groups?limit=1000`;
  const groups = useLoad(
    async () => (await client.get<Answer<'listGroups'>>(all)).groups.filter(({ community: of }) => of === null),
    `${all} ${community.groups.length}`,
  );
  if (groups.value === null || groups.value.length === 0) return null;
  return (
    <div className="inline">
      <label htmlFor={id}>{words.add}</label>
      <select id={id} value={chosen} onChange={({ target: { value } }) => setChosen(value)}>
        <option value="">{words.choose}</option>
        {groups.value.map(({ jid, subject }) => (
          <option key={jid} value={jid}>
            {subject}
          </option>
        ))}
      </select>
      <Action
        disabled={chosen === ''}
        act={async () => {
          await client.put(`${path}/groups/${encodeURIComponent(chosen)}`, undefined);
          setChosen('');
          reload();
        }}
      >
        {words.addNow}
      </Action>
    </div>
  );
};

const Groups = ({
  community,
  path,
  reload,
  open,
  mayChange,
}: Omit<ChangeProps, 'device'> & { readonly open: (jid: string) => void; readonly mayChange: boolean }) => {
  const { client } = useAccount();
  return (
    <ul className="members" aria-label={words.groups}>
      {community.groups.map(({ jid, subject, role }) => (
        <li key={jid}>
          <button type="button" className="link member" onClick={() => open(jid)}>
            {subject}
          </button>
          {role === 'announcements' ? (
            <span className="dim">{words.announcements}</span>
          ) : (
            mayChange && (
              <Action
                className="quiet"
                aria-label={words.removeOf(subject)}
                act={async () => {
                  await client.delete(`${path}/groups/${encodeURIComponent(jid)}`);
                  reload();
                }}
              >
                {words.remove}
              </Action>
            )
          )}
        </li>
      ))}
    </ul>
  );
};

const Ending = ({ community, path, back }: Pick<ChangeProps, 'community' | 'path'> & Pick<Props, 'back'>) => {
  const { client } = useAccount();
  const [asked, ask] = useState<'leave' | 'end' | null>(null);
  const act = async (): Promise<void> => {
    await (asked === 'leave' ? client.post(`${path}/leave`) : client.delete(path));
    back();
  };
  return (
    <div className="row end">
      {(['leave', 'end'] as const).map((way) => (
        <button key={way} type="button" className="danger" onClick={() => ask(way)}>
          {words[way].action}
        </button>
      ))}
      {asked !== null && (
        <ConfirmDialog
          title={words[asked].title(community.subject)}
          text={words[asked].text}
          action={words[asked].action}
          done={words[asked].done}
          act={act}
          close={() => ask(null)}
        />
      )}
    </div>
  );
};

export const CommunityCard = ({ device, nameOf, jid, choose, back, close }: Props) => {
  const { client } = useAccount();
  const may = useMay();
  const path = `/v1/devices/${device.id}/communities/${encodeURIComponent(jid)}`;
  const loaded = useLoad(async () => (await client.get<Answer<'getCommunity'>>(path)).community, path);
  useEvents(device.id, ({ type }) => {
    if (type === 'group.updated' || type === 'group.joined') loaded.reload();
  });
  const mayChange = device.status === 'connected' && may('manage');
  const open = (group: string): void => {
    close();
    choose(group);
  };
  return (
    <Dialog title={loaded.value?.subject ?? words.title} close={close}>
      <Await of={loaded}>
        {(community) => {
          const change = { community, path, reload: loaded.reload };
          return (
            <div className="stack">
              {community.description !== null && <p className="group-description">{community.description}</p>}
              <Groups {...change} open={open} mayChange={mayChange} />
              {mayChange && <AddGroup {...change} device={device} />}
              <details>
                <summary>{words.people(community.people.length)}</summary>
                <ul className="members" aria-label={words.peopleLabel}>
                  {community.people.map((person) => (
                    <li key={person.jid}>
                      <span className="member">{nameOf(person)}</span>
                    </li>
                  ))}
                </ul>
              </details>
              {mayChange && <Ending {...change} back={back} />}
            </div>
          );
        }}
      </Await>
      <div className="row">
        <button type="button" className="quiet" onClick={back}>
          {words.back}
        </button>
      </div>
    </Dialog>
  );
};
