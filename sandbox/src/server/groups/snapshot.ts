/** Groups as JSON, and back. */
import type { Account, Picture } from '../../base/types.ts';
import type { AddressingMode } from '../accounts/jid.ts';
import { type Group, type MemberAddMode, newGroup } from './group.ts';

interface SavedBy {
  readonly by: string;
}

export interface GroupJson {
  readonly jid: string;
  readonly subject: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly members: { readonly number: string; readonly admin: boolean }[];
  /** Absent in what an older version saved, as is all that follows. */
  readonly mode?: AddressingMode;
  readonly picture?: Picture | null;
  readonly changes?: number;
  readonly timer?: number;
  readonly subjectBy?: string;
  readonly subjectAt?: number;
  readonly description?: ({ readonly id: string; readonly text: string; readonly at: number } & SavedBy) | null;
  readonly announcement?: boolean;
  readonly locked?: boolean;
  readonly joinApproval?: boolean;
  readonly memberAddMode?: MemberAddMode;
  readonly invite?: string | null;
  readonly formerInvites?: readonly string[];
  readonly privateInvites?: readonly (readonly [
    string,
    { readonly code: string; readonly expiresAt: number } & SavedBy,
  ])[];
  readonly requests?: readonly (readonly [string, number])[];
  readonly removed?: readonly string[];
  readonly community?: string | null;
  readonly announcements?: boolean;
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
    mode: 'lid',
    ...same,
    owner: accountOf(owner),
    subjectBy: accountOf(subjectBy ?? owner),
    members: new Map(members.map(({ number, admin }) => [accountOf(number), { admin }])),
    description: description ? withAccount(description) : null,
    formerInvites: new Set(formerInvites),
    privateInvites: new Map((privateInvites ?? []).map(([number, invite]) => [accountOf(number), withAccount(invite)])),
    requests: new Map((requests ?? []).map(([number, at]) => [accountOf(number), at])),
    removed: new Set((removed ?? []).map(accountOf)),
  });
};
