/** A group: members, settings, pending invitations and requests. Times are in seconds. */
import type { Account, Picture } from '../../base/types.ts';
import type { AddressingMode } from '../accounts/jid.ts';

interface SavedBy {
  readonly by: string;
}

export interface GroupJson {
  readonly jid: string;
  readonly subject: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly members: { readonly number: string; readonly admin: boolean }[];
  readonly mode: AddressingMode;
  readonly picture: Picture | null;
  readonly changes: number;
  readonly timer: number;
  readonly subjectBy: string;
  readonly subjectAt: number;
  readonly description: ({ readonly id: string; readonly text: string; readonly at: number } & SavedBy) | null;
  readonly announcement: boolean;
  readonly locked: boolean;
  readonly joinApproval: boolean;
  readonly memberAddMode: MemberAddMode;
  readonly invite: string | null;
  readonly formerInvites: readonly string[];
  readonly privateInvites: readonly (readonly [
    string,
    { readonly code: string; readonly expiresAt: number } & SavedBy,
  ])[];
  readonly requests: readonly (readonly [string, number])[];
  readonly removed: readonly string[];
  readonly community: string | null;
  readonly announcements: boolean;
}

const savedBy = <T extends { readonly by: Account }>(value: T): Omit<T, 'by'> & SavedBy => ({
  ...value,
  by: value.by.number,
});

export const saveGroup = (group: Group): GroupJson => ({
  ...group,
  owner: group.owner.number,
  subjectBy: group.subjectBy.number,
  members: [...group.members].map(([{ number }, { admin }]) => ({ number, admin })),
  description: group.description && savedBy(group.description),
  formerInvites: [...group.formerInvites],
  privateInvites: [...group.privateInvites].map(([{ number }, invite]) => [number, savedBy(invite)] as const),
  requests: [...group.requests].map(([{ number }, at]) => [number, at] as const),
  removed: [...group.removed].map(({ number }) => number),
});

export const loadGroup = (saved: GroupJson, accountOf: (number: string) => Account): Group => {
  const { owner, members, subjectBy, description, privateInvites, requests, formerInvites, removed, ...same } = saved;
  const withAccount = <T extends SavedBy>(value: T): Omit<T, 'by'> & { by: Account } => ({
    ...value,
    by: accountOf(value.by),
  });
  return newGroup({
    ...same,
    owner: accountOf(owner),
    subjectBy: accountOf(subjectBy),
    members: new Map(members.map(({ number, admin }) => [accountOf(number), { admin }])),
    description: description ? withAccount(description) : null,
    formerInvites: new Set(formerInvites),
    privateInvites: new Map(privateInvites.map(([number, invite]) => [accountOf(number), withAccount(invite)])),
    requests: new Map(requests.map(([number, at]) => [accountOf(number), at])),
    removed: new Set(removed.map(accountOf)),
  });
};

/** Maximum number of members (WhatsApp help, 2022-11; 419 for more). */
export const MAX_MEMBERS = 1_024;

export interface Description {
  readonly id: string;
  readonly text: string;
  readonly by: Account;
  readonly at: number;
}

export interface PrivateInvite {
  readonly code: string;
  readonly expiresAt: number;
  readonly by: Account;
}

export type MemberAddMode = 'admin_add' | 'all_member_add';

export interface Group {
  readonly jid: string;
  subject: string;
  subjectBy: Account;
  subjectAt: number;
  description: Description | null;
  /** Namespace of people in its stanzas. */
  mode: AddressingMode;
  readonly owner: Account;
  readonly createdAt: number;
  readonly members: Map<Account, { admin: boolean }>;
  picture: Picture | null;
  timer: number;
  /** Number of member changes so far; each gets the next one. */
  changes: number;
  announcement: boolean;
  locked: boolean;
  joinApproval: boolean;
  memberAddMode: MemberAddMode;
  invite: string | null;
  readonly formerInvites: Set<string>;
  readonly privateInvites: Map<Account, PrivateInvite>;
  readonly requests: Map<Account, number>;
  readonly removed: Set<Account>;
  /** `parent`: the group is a community; a JID: the community it belongs to. */
  community: string | null;
  /** The announcement group of its community. */
  announcements: boolean;
}

type Given = Pick<Group, 'jid' | 'subject' | 'mode' | 'owner' | 'createdAt' | 'members'>;

export const newGroup = (given: Given & Partial<Group>): Group => ({
  subjectBy: given.owner,
  subjectAt: given.createdAt,
  description: null,
  picture: null,
  timer: 0,
  changes: 0,
  announcement: false,
  locked: false,
  joinApproval: false,
  memberAddMode: 'all_member_add',
  invite: null,
  formerInvites: new Set(),
  privateInvites: new Map(),
  requests: new Map(),
  removed: new Set(),
  community: null,
  announcements: false,
  ...given,
});

export const isAdmin = (group: Group, account: Account): boolean => group.members.get(account)?.admin === true;

export const administrators = (group: Group): Account[] =>
  [...group.members].filter(([, { admin }]) => admin).map(([account]) => account);
