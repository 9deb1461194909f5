/** Groups as callers see and change them (docs/spec/groups.md). */
import type { CommunityGroup, Group, GroupPreview, KeptGroup, MemberResult } from '../../domain/groups/group.ts';
import { isoOrNull, personOrNull, personView } from '../../domain/event-view.ts';
import type { JoinRequest } from '../../domain/groups/port.ts';
import type { Jid } from '../../domain/jid.ts';
import type { Person } from '../../domain/messages/parts.ts';
import type { UsernameStore } from '../../domain/stores.ts';

const groupView = (group: KeptGroup) => ({
  jid: group.jid,
  subject: group.subject,
  description: group.description,
  owner: personOrNull(group.owner),
  createdAt: isoOrNull(group.createdAt),
  members: group.members.map(({ person, admin }) => ({ person: personView(person), admin })),
  announceOnly: group.announceOnly,
  locked: group.locked,
  joinApproval: group.joinApproval,
  memberAddMode: group.memberAddMode,
  expiresInSeconds: group.expiresInSeconds,
  community: group.community,
});

export const communityView = (
  { jid, subject, description, owner, createdAt }: KeptGroup,
  groups: readonly CommunityGroup[],
) => ({
  jid,
  subject,
  description,
  owner: personOrNull(owner),
  createdAt: isoOrNull(createdAt),
  groups: [...groups],
});

interface OfDevice {
  readonly deviceId: number;
  readonly services: { readonly stores: { readonly usernames: UsernameStore } };
}

const peopleIn = ({ owner, members }: Group): Person[] => [
  ...(owner === null ? [] : [owner]),
  ...members.map(({ person }) => person),
];

/** A group is stored as described; usernames change more often. */
export const groupViews = async ({ deviceId, services }: OfDevice, groups: readonly KeptGroup[]) => {
  const lids = [...new Set(groups.flatMap(peopleIn).flatMap(({ lid }) => lid ?? []))];
  const found = await services.stores.usernames.of(deviceId, lids);
  const usernames = new Map<Jid, string | null>(lids.map((lid, n) => [lid, found[n] ?? null]));
  const named = (person: Person): Person =>
    person.lid === null ? person : { ...person, username: usernames.get(person.lid) ?? null };
  return groups.map((group) =>
    groupView({
      ...group,
      owner: group.owner === null ? null : named(group.owner),
      members: group.members.map((member) => ({ ...member, person: named(member.person) })),
    }),
  );
};

export const oneGroupView = async (of: OfDevice, group: KeptGroup) => (await groupViews(of, [group]))[0]!;

export const previewView = ({ jid, subject, description, owner, createdAt, size, joinApproval }: GroupPreview) => ({
  jid,
  subject,
  description,
  owner: personOrNull(owner),
  createdAt: isoOrNull(createdAt),
  size,
  joinApproval,
});

export const resultsView = (results: readonly MemberResult[]) =>
  results.map(({ person, result, reason }) => ({ person: personView(person), result, reason }));

export const requestView = ({ person, requestedAt }: JoinRequest) => ({
  person: personView(person),
  requestedAt: isoOrNull(requestedAt),
});

export const inviteView = (code: string) => ({ code, link: `https://chat.whatsapp.com/${code}` });
