/** People whom a user must not write to (docs/spec/users.md, Suppressions). */
import type { Jid } from '../jid.ts';

/** `stopWord`: the person sent a word from the settings of a device. */
export type SuppressionSource = 'request' | 'stopWord';

export interface Suppression {
  /** Null if only the LID is known. */
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly reason: string | null;
  readonly source: SuppressionSource;
  readonly createdAt: number;
}

export interface SuppressionStore {
  /** Users with suppressions now or earlier, on any node; no other list needs to be read. */
  readonly users: ReadonlySet<number>;
  /** Returns the existing entry, with the new reason if one is given, or a new one. */
  add(
    userId: number,
    entry: { readonly number: string; readonly reason: string | null },
    now: number,
  ): Promise<Suppression>;
  /** Returns false if the person is not listed. */
  remove(userId: number, person: Jid): Promise<boolean>;
  /** Newest first. */
  list(
    userId: number,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ readonly items: readonly Suppression[]; readonly nextCursor: string | null }>;
  /** True if the device's user must not write to this person, by number in all its registrations or by LID, as far as the device knows them. */
  has(deviceId: number, person: Jid): Promise<boolean>;
}

/** A person who sent a stop word; listed if the message is new. */
export interface StopWord {
  readonly messageId: string;
  /** The message was stored before, without content. */
  readonly arrived: boolean;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly word: string;
}
