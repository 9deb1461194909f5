/** The members of a group, and what an administrator does with them: add, remove, promote and demote. */
import { type ReactNode, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Member, MemberResult } from '../../api/group.ts';
import type { Person } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { Failure, useAttempt } from '../../ui/attempt.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useForm } from '../../ui/form.ts';
import { ErrorText } from '../../ui/parts.tsx';
import type { NameOf } from '../shown/people.ts';
import { addressesIn, nobody, PeopleField, settled } from './people-field.tsx';
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

const Row = ({ member: { person, admin }, name, menu }: RowProps) => {
  const address = person.number === null ? person.username && `@${person.username}` : phoneNumber(person.number);
  return (
    <li>
      <span className="member">
        <strong>{name}</strong>
        {address && address !== name && <span className="dim">{address}</span>}
      </span>
      {admin && <span className="tag">{words.admin}</span>}
      {menu}
    </li>
  );
};

interface MemberMenuProps extends Pick<RowProps, 'name'> {
  readonly admin: boolean;
  readonly setAdmin: (admin: boolean) => Promise<void>;
  readonly remove: () => void;
}

const MemberMenu = ({ name, admin, setAdmin, remove }: MemberMenuProps) => {
  const attempt = useAttempt();
  return (
    <>
      <Menu label={words.changeMember(name)} className="icon" icon={icons.dots} disabled={attempt.busy}>
        {() => (
          <>
            <MenuItem icon={icons.star} act={() => void attempt.run(() => setAdmin(!admin))}>
              {admin ? words.demote : words.promote}
            </MenuItem>
            <MenuItem icon={icons.delete} danger act={remove}>
              {words.remove}
            </MenuItem>
          </>
        )}
      </Menu>
      <Failure of={attempt} />
    </>
  );
};

const AddMembers = ({
  device,
  add,
}: Pick<GroupPart, 'device'> & { add: (people: readonly string[]) => Promise<void> }) => {
  const [people, choose] = useState(nobody);
  const { busy, error, errorOf, submit } = useForm(['members'], async () => {
    const all = settled(people);
    choose(all);
    await add(addressesIn(all));
    choose(nobody);
  });
  return (
    <form onSubmit={submit} noValidate>
      <PeopleField device={device} people={people} change={choose} refused={errorOf('members')} />
      <ErrorText error={error} />
      <div className="row end">
        <button
          type="submit"
          className="primary"
          disabled={busy || (people.chosen.length === 0 && people.text === '')}
          aria-busy={busy}
        >
          {words.add}
        </button>
      </div>
    </form>
  );
};

/** Changes of members, with the results of the last one. */
const useMembers = (device: Device, { group, reload }: KnownGroup) => {
  const { client } = useAccount();
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
    setAdmin: (person: Person, admin: boolean) => change(() => client.put(pathOf(person), { admin })),
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
      <MemberMenu
        name={nameOf(person)}
        admin={admin}
        setAdmin={(next) => setAdmin(person, next)}
        remove={() => setLeaving(person)}
      />
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
