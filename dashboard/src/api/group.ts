/** A group, and the results of a change of its members. */
import type { Person } from './message.ts';

export interface Member {
  readonly person: Person;
  readonly admin: boolean;
}

export interface Group {
  readonly jid: string;
  readonly subject: string;
  readonly description: string | null;
  readonly owner: Person | null;
  readonly createdAt: string | null;
  readonly members: readonly Member[];
  readonly announceOnly: boolean;
  readonly locked: boolean;
  readonly joinApproval: boolean;
  readonly memberAddMode: 'admins' | 'everyone';
  readonly expiresInSeconds: number | null;
  readonly community: { readonly jid: string; readonly role: 'group' | 'announcements' } | null;
}

export interface MemberResult {
  readonly person: Person;
  readonly result: 'added' | 'invited' | 'removed' | 'promoted' | 'demoted' | 'refused';
  readonly reason: string | null;
}

export interface GroupPreview {
  readonly subject: string;
  readonly description: string | null;
  readonly size: number;
  readonly joinApproval: boolean;
}

export interface JoinRequest {
  readonly person: Person;
  readonly requestedAt: string | null;
}
