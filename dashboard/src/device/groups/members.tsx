/** The members of a group, and what an administrator does with them: add, remove, promote and demote. */
import { type ReactNode, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Member, MemberResult } from '../../api/group.ts';
import type { Person } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useForm } from '../../ui/form.ts';
import { ErrorText } from '../../ui/parts.tsx';
import type { NameOf } from '../shown/people.ts';
import { type Chosen, PeopleField } from './people-field.tsx';
import { Results } from './results.tsx';
import { groupPath, type KnownGroup } from './use-group.ts';

const words = texts.groups;

export interface GroupPart {
  readonly device: Device;
  readonly known: KnownGroup;
  readonly nameOf: NameOf;
  readonly isOwn: (person: Person) => boolean;
}

interface RowProps {
  readonly member: Member;
  readonly name: string;
  readonly menu: ReactNode;
}

const Row = ({ member: { person, admin }, name, menu }: RowProps) => (
  <li>
    <span className="member">
      <strong>{name}</strong>
      {person.number !== null && phoneNumber(person.number) !== name && (
        <span className="dim">{phoneNumber(person.number)}</span>
      )}
    </span>
    {admin && <span className="tag">{words.admin}</span>}
    {menu}
  </li>
);

const AddMembers = ({ device, add }: Pick<GroupPart, 'device'> & { add: (people: string[]) => Promise<void> }) => {
  const [chosen, choose] = useState<readonly Chosen[]>([]);
  const { busy, error, errorOf, submit } = useForm(['members'], async () => {
    await add(chosen.map(({ address }) => address));
    choose([]);
  });
  return (
    <form onSubmit={submit} noValidate>
      <PeopleField device={device} chosen={chosen} change={choose} refused={errorOf('members')} />
      <ErrorText error={error} />
      <div className="row end">
        <button type="submit" className="primary" disabled={busy || chosen.length === 0} aria-busy={busy}>
          {words.add}
        </button>
      </div>
    </form>
  );
};

/** Changes of members, with the results of the last one. */
const useMembers = (device: Device, { group, reload }: KnownGroup) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [results, setResults] = useState<readonly MemberResult[]>([]);
  const path = `${groupPath(device, group.jid)}/members`;
  const change = async (ask: () => Promise<{ results: readonly MemberResult[] }>): Promise<void> => {
    setResults((await ask()).results);
    reload();
  };
  const pathOf = ({ jid, number }: Person): string => `${path}/${encodeURIComponent(number ?? jid)}`;
  return {
    results,
    add: (members: readonly string[]) => change(() => client.post(path, { members })),
    remove: (person: Person) => change(() => client.delete(pathOf(person))),
    setAdmin: (person: Person, admin: boolean) =>
      void change(() => client.put(pathOf(person), { admin })).catch(notify.bad),
  };
};

export const Members = ({ device, known, nameOf, isOwn }: GroupPart) => {
  const { group, isAdmin } = known;
  const { results, add, remove, setAdmin } = useMembers(device, known);
  const [leaving, setLeaving] = useState<Person | null>(null);
  const menuOf = ({ person, admin }: Member): ReactNode =>
    isAdmin &&
    !isOwn(person) &&
    device.status === 'connected' && (
      <Menu label={words.changeMember(nameOf(person))} className="icon" icon={icons.dots}>
        {() => (
          <>
            <MenuItem icon={icons.star} act={() => setAdmin(person, !admin)}>
              {admin ? words.demote : words.promote}
            </MenuItem>
            <MenuItem icon={icons.delete} danger act={() => setLeaving(person)}>
              {words.remove}
            </MenuItem>
          </>
        )}
      </Menu>
    );
  const sorted = [...group.members.filter(({ admin }) => admin), ...group.members.filter(({ admin }) => !admin)];
  return (
    <div className="stack">
      {results.length > 0 && <Results results={results} nameOf={nameOf} />}
      <ul className="members" aria-label={words.members}>
        {sorted.map((member) => (
          <Row key={member.person.jid} member={member} name={nameOf(member.person)} menu={menuOf(member)} />
        ))}
      </ul>
      {(isAdmin || group.memberAddMode === 'everyone') && device.status === 'connected' && (
        <AddMembers device={device} add={add} />
      )}
      {leaving !== null && (
        <ConfirmDialog
          title={words.removeTitle(nameOf(leaving))}
          text={words.removeText}
          action={words.remove}
          act={() => remove(leaving)}
          close={() => setLeaving(null)}
        />
      )}
    </div>
  );
};
