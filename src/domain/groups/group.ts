/** A group as described by the network to a member (docs/spec/groups.md). */
import type { Jid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';

export interface GroupMember {
  readonly person: Person;
  readonly admin: boolean;
}

export const memberAddModes = ['admins', 'everyone'] as const;

export interface GroupSettings {
  readonly subject: string;
  readonly description: string | null;
  readonly announceOnly: boolean;
  readonly locked: boolean;
  readonly joinApproval: boolean;
  readonly memberAddMode: (typeof memberAddModes)[number];
  readonly expiresInSeconds: number | null;
}

export const groupSettingNames = [
  'subject',
  'description',
  'announceOnly',
  'locked',
  'joinApproval',
  'memberAddMode',
  'expiresInSeconds',
] as const satisfies readonly (keyof GroupSettings)[];

export const communityRoles = ['group', 'announcements'] as const;

export interface Community {
  readonly jid: Jid;
  readonly role: (typeof communityRoles)[number];
}

export interface CommunityGroup extends Pick<Community, 'role'> {
  readonly jid: Jid;
  readonly subject: string;
}

export const linkResults = ['linked', 'unlinked', 'refused'] as const;

export interface LinkResult {
  readonly group: Jid;
  readonly result: (typeof linkResults)[number];
  readonly reason: string | null;
}

export interface Group extends GroupSettings {
  readonly jid: Jid;
  readonly owner: Person | null;
  readonly createdAt: number | null;
  readonly members: readonly GroupMember[];
  readonly community: Community | null;
}

/** Namespace of the members' addresses. */
export type GroupAddressing = 'lid' | 'phone';

/** When a text was last set, as far as the network tells. */
export type SetAt = Partial<Record<'subject' | 'description', number>>;

export interface KeptGroup extends Group {
  readonly addressing: GroupAddressing;
  readonly isMember: boolean;
  /** A community itself, which has groups and no messages. */
  readonly isCommunity: boolean;
  readonly hasPicture: boolean | null;
  readonly createKey?: string | undefined;
  /** Of the member list; each change names the previous one. */
  readonly version: string | null;
  /** By the network's clock, seconds; absent in groups stored by earlier versions. */
  readonly setAt?: SetAt;
  /** When the network last described it, ms; 0: outdated. */
  readonly checkedAt: number;
}

export interface GroupPreview extends Pick<Group, 'jid' | 'subject' | 'description' | 'owner' | 'createdAt'> {
  readonly size: number;
  readonly joinApproval: boolean;
}

/** A change of a group, named by its one field, with the people it concerns. */
export type GroupChange =
  | { readonly subject: string }
  | { readonly description: string | null }
  | { readonly announceOnly: boolean }
  | { readonly locked: boolean }
  | { readonly joinApproval: boolean }
  | { readonly memberAddMode: GroupSettings['memberAddMode'] }
  | { readonly expiresInSeconds: number | null }
  | { readonly community: Community | null }
  | { readonly added: readonly Person[] }
  | { readonly removed: readonly Person[] }
  | { readonly left: readonly Person[] }
  | { readonly promoted: readonly Person[] }
  | { readonly demoted: readonly Person[] }
  | { readonly numberChanged: { readonly from: Person; readonly to: Person } }
  | { readonly requested: readonly Person[] }
  | { readonly requestsEnded: readonly Person[] }
  | { readonly picture: 'set' | 'removed' }
  | { readonly invite: 'rotated' };

/** `link`: by link or invitation; null: detected by asking the network. */
export const joinReasons = ['created', 'added', 'link'] as const;
export const leaveReasons = ['left', 'removed', 'deleted'] as const;

interface OfGroup {
  readonly group: Jid;
  readonly subject: string | null;
  readonly by: Person | null;
}

export type GroupEvent =
  | { readonly type: 'group.updated'; readonly data: OfGroup & { readonly change: GroupChange } }
  | {
      readonly type: 'group.joined';
      readonly data: OfGroup & { readonly reason: (typeof joinReasons)[number] | null };
    }
  | {
      readonly type: 'group.left';
      readonly data: OfGroup & { readonly reason: (typeof leaveReasons)[number] | null };
    };

export const memberResults = ['added', 'invited', 'removed', 'promoted', 'demoted', 'refused'] as const;

export interface MemberResult {
  readonly person: Person;
  readonly result: (typeof memberResults)[number];
  readonly reason: string | null;
}

/** Key with the time (ms as text) of the last full listing. */
export const groupsListed = { type: 'groups', id: 'listed' } as const;

/** Refreshed at least daily, as a notification may have been lost. */
const freshMs = 86_400_000;

export const isFreshGroup = (checkedAt: number, now: number): boolean => now - checkedAt < freshMs;
