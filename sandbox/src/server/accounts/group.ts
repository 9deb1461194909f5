/** A group and who is in it. */
import type { Account, Picture } from '../../types.ts';
import type { AddressingMode } from './jid.ts';

export interface Group {
  /** `<id>@g.us` */
  readonly jid: string;
  subject: string;
  /** Whether its stanzas speak of people by LID or by phone JID. */
  mode: AddressingMode;
  readonly owner: Account;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly members: Map<Account, { admin: boolean }>;
  picture: Picture | null;
  /** Seconds after which messages disappear; 0: they stay. */
  timer: number;
  /** Changes of its members so far; each has a number. */
  changes: number;
}
