/** A group, as the network describes it to a member (docs/spec/groups.md). */
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
  /** Only administrators write. */
  readonly announceOnly: boolean;
  /** Only administrators change subject, description, picture and timer. */
  readonly locked: boolean;
  /** An administrator approves who joins by the link. */
  readonly joinApproval: boolean;
  readonly memberAddMode: (typeof memberAddModes)[number];
  /** Null: messages stay. */
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

/** `announcements`: the group of a community in which its administrators write to all. */
export const communityRoles = ['group', 'announcements'] as const;

export interface Community {
  readonly jid: Jid;
  readonly role: (typeof communityRoles)[number];
}

export interface Group extends GroupSettings {
  readonly jid: Jid;
  readonly owner: Person | null;
  /** Ms. */
  readonly createdAt: number | null;
  readonly members: readonly GroupMember[];
  readonly community: Community | null;
}

/** The namespace in which a group names its members. */
export type GroupAddressing = 'lid' | 'phone';

/** A group as a device keeps it. */
export interface KeptGroup extends Group {
  readonly addressing: GroupAddressing;
  /** False: the account has left it, and the members are not known any more. */
  readonly isMember: boolean;
  /** A community itself: it has groups, and no messages. */
  readonly isCommunity: boolean;
  /** Null: not known. */
  readonly hasPicture: boolean | null;
  /** The key of the request that made it, where its answer came. */
  readonly createKey?: string | undefined;
  /** Version of the list of members; each change names the one before it. */
  readonly version: string | null;
  /** When the network last described it, ms; 0: in doubt. */
  readonly checkedAt: number;
}

/** A group as its link shows it to people outside. */
export interface GroupPreview extends Pick<Group, 'jid' | 'subject' | 'description' | 'owner' | 'createdAt'> {
  readonly size: number;
  readonly joinApproval: boolean;
}

/** A change of a group, with one member that names it. People are those whom it is about. */
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
  /** They have gone by themselves. */
  | { readonly left: readonly Person[] }
  | { readonly promoted: readonly Person[] }
  | { readonly demoted: readonly Person[] }
  | { readonly numberChanged: { readonly from: Person; readonly to: Person } }
  /** They ask to join. */
  | { readonly requested: readonly Person[] }
  /** Their requests were rejected, or taken back. */
  | { readonly requestsEnded: readonly Person[] }
  | { readonly picture: 'set' | 'removed' }
  | { readonly invite: 'rotated' };

/** `link`: by the group's link, or an invitation; `null`: found when the network was asked. */
export const joinReasons = ['created', 'added', 'link'] as const;
export const leaveReasons = ['left', 'removed', 'deleted'] as const;

interface OfGroup {
  readonly group: Jid;
  readonly subject: string | null;
  /** Null: not known, as when the change was found by asking. */
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

/** Results of a change of one person. `invited`: the person does not let everybody add them, and got an invitation. */
export const memberResults = ['added', 'invited', 'removed', 'promoted', 'demoted', 'refused'] as const;

export interface MemberResult {
  readonly person: Person;
  readonly result: (typeof memberResults)[number];
  /** Why, in words, where it was refused. */
  readonly reason: string | null;
}

/** When all groups were last listed, ms as text, among a device's keys. */
export const groupsListed = { type: 'groups', id: 'listed' } as const;

/** A description is asked for again after a day at the latest: a notice may have been lost. */
const freshMs = 86_400_000;

export const isFreshGroup = (checkedAt: number, now: number): boolean => now - checkedAt < freshMs;
