/** Applies changes to a stored group, and reports only those with an effect. */
import type { Jid } from '../jid.ts';
import { type Person, isSamePerson } from '../messages/parts.ts';
import { type GroupChange, type GroupMember, groupSettingNames, type KeptGroup } from './group.ts';

export interface Applied {
  readonly group: KeptGroup;
  readonly news: GroupChange | null;
}

const memberOf = (members: readonly GroupMember[], person: Person): GroupMember | undefined =>
  members.find((member) => isSamePerson(member.person, person));

export const isAdministrator = ({ members }: Pick<KeptGroup, 'members'>, person: Person): boolean =>
  memberOf(members, person)?.admin === true;

export const isMember = ({ members }: Pick<KeptGroup, 'members'>, person: Person): boolean =>
  memberOf(members, person) !== undefined;

const index = (members: readonly GroupMember[]): ReadonlyMap<string, GroupMember> => {
  const found = new Map<string, GroupMember>();
  for (const member of members) {
    const { jid, number, lid } = member.person;
    found.set(jid, member);
    if (number !== null) found.set(number, member);
    if (lid !== null) found.set(lid, member);
  }
  return found;
};

const findIn = (known: ReadonlyMap<string, GroupMember>, { jid, number, lid }: Person): GroupMember | undefined =>
  known.get(jid) ?? (number === null ? undefined : known.get(number)) ?? (lid === null ? undefined : known.get(lid));

const withMembers = (group: KeptGroup, members: readonly GroupMember[], news: GroupChange | null): Applied => ({
  group: news === null ? group : { ...group, members },
  news,
});

const add = (group: KeptGroup, people: readonly Person[]): Applied => {
  const known = index(group.members);
  const added = people.filter((person) => findIn(known, person) === undefined);
  const members = added.map((person) => ({ person, admin: false }));
  return withMembers(group, [...group.members, ...members], added.length === 0 ? null : { added });
};

const remove = (group: KeptGroup, people: readonly Person[], name: 'removed' | 'left'): Applied => {
  const known = index(group.members);
  const gone = people.filter((person) => findIn(known, person) !== undefined);
  const leaving = index(gone.map((person) => ({ person, admin: false })));
  const left = group.members.filter(({ person }) => findIn(leaving, person) === undefined);
  const news: GroupChange = name === 'left' ? { left: gone } : { removed: gone };
  return withMembers(group, left, gone.length === 0 ? null : news);
};

const setAdmin = (group: KeptGroup, people: readonly Person[], admin: boolean): Applied => {
  const known = index(group.members);
  const changed = people.filter((person) => {
    const member = findIn(known, person);
    return member !== undefined && member.admin !== admin;
  });
  const those = index(changed.map((person) => ({ person, admin })));
  const members = group.members.map((member) =>
    findIn(those, member.person) === undefined ? member : { ...member, admin },
  );
  const news: GroupChange = admin ? { promoted: changed } : { demoted: changed };
  return withMembers(group, members, changed.length === 0 ? null : news);
};

const renumber = (group: KeptGroup, { from, to }: { readonly from: Person; readonly to: Person }): Applied => {
  const known = isMember(group, from);
  const members = group.members.map((member) =>
    isSamePerson(member.person, from) ? { ...member, person: to } : member,
  );
  return withMembers(group, members, known ? { numberChanged: { from, to } } : null);
};

const sameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export const applyChange = (group: KeptGroup, change: GroupChange): Applied => {
  if ('added' in change) return add(group, change.added);
  if ('removed' in change) return remove(group, change.removed, 'removed');
  if ('left' in change) return remove(group, change.left, 'left');
  if ('promoted' in change) return setAdmin(group, change.promoted, true);
  if ('demoted' in change) return setAdmin(group, change.demoted, false);
  if ('numberChanged' in change) return renumber(group, change.numberChanged);
  if ('picture' in change) {
    const hasPicture = change.picture === 'set';
    // A picture may replace another one.
    const isNews = hasPicture || group.hasPicture !== false;
    return { group: { ...group, hasPicture }, news: isNews ? change : null };
  }
  if ('requested' in change || 'requestsEnded' in change || 'invite' in change) return { group, news: change };
  // The notification of a link has no role, and may follow a description with one.
  const isLinked = 'community' in change && change.community !== null && change.community.jid === group.community?.jid;
  if (isLinked) return { group, news: null };
  const isSame = Object.entries(change).every(([name, value]) => sameValue(Reflect.get(group, name), value));
  return isSame ? { group, news: null } : { group: { ...group, ...change }, news: change };
};

const personsOf = (members: readonly GroupMember[]): Person[] => members.map(({ person }) => person);

const peopleBetween = (before: KeptGroup, after: KeptGroup): GroupChange[] => {
  const [old, now] = [index(before.members), index(after.members)];
  const added = after.members.filter(({ person }) => findIn(old, person) === undefined);
  const removed = before.members.filter(({ person }) => findIn(now, person) === undefined);
  const changed = after.members.filter(({ person, admin }) => (findIn(old, person)?.admin ?? false) !== admin);
  const [promoted, demoted] = [changed.filter(({ admin }) => admin), changed.filter(({ admin }) => !admin)];
  return [
    ...(added.length > 0 ? [{ added: personsOf(added) }] : []),
    ...(removed.length > 0 ? [{ removed: personsOf(removed) }] : []),
    ...(promoted.length > 0 ? [{ promoted: personsOf(promoted) }] : []),
    ...(demoted.length > 0 ? [{ demoted: personsOf(demoted) }] : []),
  ];
};

export const changesBetween = (before: KeptGroup, after: KeptGroup): GroupChange[] => {
  const changes: GroupChange[] = [];
  for (const name of [...groupSettingNames, 'community'] as const) {
    if (sameValue(before[name], after[name])) continue;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one member, of the name and the type of the group's own
    changes.push({ [name]: after[name] } as unknown as GroupChange);
  }
  return [...changes, ...peopleBetween(before, after)];
};

export const memberJids = ({ members, addressing }: Pick<KeptGroup, 'members' | 'addressing'>): Jid[] =>
  members.map(({ person: { jid, lid } }) => (addressing === 'lid' ? (lid ?? jid) : jid));
