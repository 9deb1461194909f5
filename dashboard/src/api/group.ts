/** A group, and the results of a change of its members. */
import type { Schemas } from './schemas.ts';

export type Group = Schemas['Group'];
export type Member = Schemas['GroupMember'];
export type MemberResult = Schemas['MemberResult'];
export type GroupPreview = Schemas['GroupPreview'];
export type JoinRequest = Schemas['JoinRequest'];
