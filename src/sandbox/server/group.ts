/** A group and who is in it. */
import type { Account } from '../types.ts';

export interface Group {
  /** `<id>@g.us` */
  readonly jid: string;
  subject: string;
  readonly owner: Account;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly members: Map<Account, { admin: boolean }>;
}
