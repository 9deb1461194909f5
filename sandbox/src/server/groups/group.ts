/** A group: its members, its settings, and the invitations and requests that wait. Times are in seconds. */
import type { Account, Picture } from '../../base/types.ts';
import type { AddressingMode } from '../accounts/jid.ts';

/** The most members that a group has (WhatsApp help, 2022-11; 419 for more). */
export const MOST_MEMBERS = 1_024;

export interface Description {
  readonly id: string;
  readonly text: string;
  readonly by: Account;
  readonly at: number;
}

/** An invitation for one person, who does not let everybody add them. */
export interface PrivateInvite {
  readonly code: string;
  readonly expiresAt: number;
  readonly by: Account;
}

export type MemberAddMode = 'admin_add' | 'all_member_add';

export interface Group {
  /** `<id>@g.us` */
  readonly jid: string;
  subject: string;
  subjectBy: Account;
  subjectAt: number;
  description: Description | null;
  /** Whether its stanzas speak of people by LID or by phone JID. */
  mode: AddressingMode;
  readonly owner: Account;
  readonly createdAt: number;
  readonly members: Map<Account, { admin: boolean }>;
  picture: Picture | null;
  /** Seconds after which messages disappear; 0: they stay. */
  timer: number;
  /** Changes of its members so far; each has a number. */
  changes: number;
  /** Only administrators write. */
  announcement: boolean;
  /** Only administrators change what the group is called, shows and says of itself. */
  locked: boolean;
  joinApproval: boolean;
  memberAddMode: MemberAddMode;
  /** The code of the invite link; made when it is first asked for. */
  invite: string | null;
  readonly formerInvites: Set<string>;
  readonly privateInvites: Map<Account, PrivateInvite>;
  /** Requests to join, by person, and since when. */
  readonly requests: Map<Account, number>;
  /** People who were removed, and cannot come back by the link. */
  readonly removed: Set<Account>;
  /** `parent`: the group is a community itself; a JID: the community that it belongs to. */
  community: string | null;
  /** It is the announcement group of its community. */
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
