/** Groups on the network: the port implemented by the driver (docs/spec/groups.md). */
import type { PictureFile } from '../chats/conversation.ts';
import type { Jid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';
import type { GroupPreview, GroupSettings, KeptGroup, MemberResult } from './group.ts';

/** Settings changed by `PUT`. */
export type GroupWish = Partial<GroupSettings>;

export type MemberAct = 'add' | 'remove' | 'promote' | 'demote';

/** An invitation for a person who may not be added directly. */
export interface PrivateInvite {
  readonly code: string;
  /** Ms. */
  readonly expiresAt: number;
}

/** `invite`: only with the result `invited`; not sent yet. */
export interface ActResult extends MemberResult {
  readonly invite?: PrivateInvite;
}

export interface JoinRequest {
  readonly person: Person;
  /** Ms. */
  readonly requestedAt: number | null;
}

/**
 * All throw InvalidRequest if the network refuses, NotFound for a group that is unknown or not the account's, RequestTimeout without an
 * answer, and DeviceNotConnected if the connection ends. Changes are stored and reported by an event.
 */
export interface Groups {
  /** Requests all groups of the account unless the stored ones are fresh; `anew` forces it. */
  list(anew?: boolean): Promise<void>;
  current(group: Jid): Promise<KeptGroup>;
  /** `key` of the request, stored with the group. */
  create(
    subject: string,
    people: readonly Jid[],
    key: string,
  ): Promise<{ group: KeptGroup; results: readonly ActResult[] }>;
  change(group: Jid, wish: GroupWish): Promise<KeptGroup>;
  changeMembers(group: Jid, act: MemberAct, people: readonly Jid[]): Promise<readonly ActResult[]>;
  /** The invite code; `anew` revokes it and creates another. */
  invite(group: Jid, anew: boolean): Promise<string>;
  preview(code: string): Promise<GroupPreview>;
  /** `waits`: an administrator has to approve. */
  join(code: string): Promise<{ group: Jid; waits: boolean }>;
  requests(group: Jid): Promise<readonly JoinRequest[]>;
  decide(group: Jid, person: Jid, approved: boolean): Promise<void>;
  leave(group: Jid): Promise<void>;
  picture(group: Jid): Promise<PictureFile>;
  setPicture(group: Jid, jpeg: Uint8Array | null): Promise<KeptGroup>;
}
