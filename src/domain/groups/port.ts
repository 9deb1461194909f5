/** Groups on the network: the port implemented by the driver (docs/spec/groups.md). */
import type { PictureFile } from '../chats/conversation.ts';
import type { Jid } from '../jid.ts';
import type { Person } from '../messages/parts.ts';
import type { CommunityGroup, GroupPreview, GroupSettings, KeptGroup, LinkResult, MemberResult } from './group.ts';

export type GroupRequest = Partial<GroupSettings>;

export type MemberAct = 'add' | 'remove' | 'promote' | 'demote';

export interface PrivateInvite {
  readonly code: string;
  readonly expiresAt: number;
}

/** `invite`: only with `invited`; not sent yet. */
export interface ActResult extends MemberResult {
  readonly invite?: PrivateInvite;
}

export interface JoinRequest {
  readonly person: Person;
  readonly requestedAt: number | null;
}

export interface GroupToMake {
  readonly subject: string;
  readonly people: readonly Jid[];
  readonly community: Jid | null;
}

/** All throw InvalidRequest if the network refuses, NotFound, RequestTimeout, and DeviceNotConnected if the connection ends. */
export interface Groups {
  list(anew?: boolean): Promise<void>;
  current(group: Jid): Promise<KeptGroup>;
  create(group: GroupToMake, key: string): Promise<{ group: KeptGroup; results: readonly ActResult[] }>;
  /** `key` of the request, stored with the community. */
  createCommunity(subject: string, description: string | null, key: string): Promise<KeptGroup>;
  /** Puts groups into a community, or removes them. */
  link(community: Jid, groups: readonly Jid[], linked: boolean): Promise<readonly LinkResult[]>;
  groupsOf(community: Jid): Promise<readonly CommunityGroup[]>;
  peopleOf(community: Jid): Promise<readonly Person[]>;
  /** Its groups stay, except the announcement group. */
  endCommunity(community: Jid): Promise<void>;
  leaveCommunity(community: Jid): Promise<void>;
  change(group: Jid, request: GroupRequest): Promise<KeptGroup>;
  changeMembers(group: Jid, act: MemberAct, people: readonly Jid[]): Promise<readonly ActResult[]>;
  /** `anew` revokes the code and creates another. */
  invite(group: Jid, anew: boolean): Promise<string>;
  preview(code: string): Promise<GroupPreview>;
  /** `waits`: for an administrator's approval. */
  join(code: string): Promise<{ group: Jid; waits: boolean }>;
  requests(group: Jid): Promise<readonly JoinRequest[]>;
  decide(group: Jid, person: Jid, approved: boolean): Promise<void>;
  leave(group: Jid): Promise<void>;
  picture(group: Jid): Promise<PictureFile>;
  setPicture(group: Jid, jpeg: Uint8Array | null): Promise<KeptGroup>;
}
