/** People a user must not write to (docs/spec/users.md, Suppressions). */
import type { Jid } from '../jid.ts';

/** `stopWord`: the person sent a word from the settings of a device. */
export type SuppressionSource = 'request' | 'stopWord';

export interface Suppression {
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly reason: string | null;
  readonly source: SuppressionSource;
  readonly createdAt: number;
}

export interface SuppressionStore {
  readonly users: ReadonlySet<number>;
  /** Returns the existing entry, with the new reason if given, or a new one. */
  add(
    userId: number,
    entry: { readonly number: string; readonly reason: string | null },
    now: number,
  ): Promise<Suppression>;
  remove(userId: number, person: Jid): Promise<boolean>;
  list(
    userId: number,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ readonly items: readonly Suppression[]; readonly nextCursor: string | null }>;
  /** By number in all its registrations or by LID, as far as known. */
  has(deviceId: number, person: Jid): Promise<boolean>;
}

/** The person is listed if the message is new. */
export interface StopWord {
  readonly messageId: string;
  /** The message was stored before, without content. */
  readonly arrived: boolean;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly word: string;
}
