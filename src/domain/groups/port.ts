/** Groups at the network: the port that the driver implements (docs/spec/groups.md). */
import type { PictureFile } from '../chats/conversation.ts';
import type { Jid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';
import type { GroupPreview, GroupSettings, KeptGroup, MemberResult } from './group.ts';

/** Settings that `PUT` changes. */
export type GroupWish = Partial<GroupSettings>;

export type MemberAct = 'add' | 'remove' | 'promote' | 'demote';

/** An invitation for one person who does not let everybody add them. */
export interface PrivateInvite {
  readonly code: string;
  /** Ms. */
  readonly expiresAt: number;
}

/** `invite`: with the result `invited` alone; it has not been sent yet. */
export interface ActResult extends MemberResult {
  readonly invite?: PrivateInvite;
}

export interface JoinRequest {
  readonly person: Person;
  /** Ms. */
  readonly requestedAt: number | null;
}

/**
 * Each throws InvalidRequest in words where the network refuses, NotFound for a group that is unknown or not the account's, RequestTimeout without an
 * answer, and DeviceNotConnected where the connection ends. What is changed is kept, and told by an event.
 */
export interface Groups {
  /** Asks for all groups of the account, unless those that are kept are fresh; `anew`: in any case. */
  list(anew?: boolean): Promise<void>;
  current(group: Jid): Promise<KeptGroup>;
  /** `key`: of the request, kept with the group. */
  create(
    subject: string,
    people: readonly Jid[],
    key: string,
  ): Promise<{ group: KeptGroup; results: readonly ActResult[] }>;
  change(group: Jid, wish: GroupWish): Promise<KeptGroup>;
  changeMembers(group: Jid, act: MemberAct, people: readonly Jid[]): Promise<readonly ActResult[]>;
  /** The code of the link; `anew`: of another one, and the former one is revoked. */
  invite(group: Jid, anew: boolean): Promise<string>;
  preview(code: string): Promise<GroupPreview>;
  /** `waits`: an administrator has to approve it. */
  join(code: string): Promise<{ group: Jid; waits: boolean }>;
  requests(group: Jid): Promise<readonly JoinRequest[]>;
  decide(group: Jid, person: Jid, approved: boolean): Promise<void>;
  leave(group: Jid): Promise<void>;
  /** Throws NotFound where there is none. */
  picture(group: Jid): Promise<PictureFile>;
  /** A square JPEG; null takes the picture away. */
  setPicture(group: Jid, jpeg: Uint8Array | null): Promise<KeptGroup>;
}
