/** People whom a user does not write to (docs/spec/users.md, Suppressions). */
import type { Jid } from '../jid.ts';

/** `stopWord`: the person wrote a word that the settings of a device name. */
export type SuppressionSource = 'request' | 'stopWord';

export interface Suppression {
  /** Null where only the LID is known. */
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly reason: string | null;
  readonly source: SuppressionSource;
  readonly createdAt: number;
}

export interface SuppressionStore {
  /** Users who have or had any, over all nodes: nobody else's list needs to be asked. */
  readonly users: ReadonlySet<number>;
  /** The one that is there, with the new reason if one is given, or a new one. */
  add(
    userId: number,
    entry: { readonly number: string; readonly reason: string | null },
    now: number,
  ): Promise<Suppression>;
  /** False where the person is not listed. */
  remove(userId: number, person: Jid): Promise<boolean>;
  /** Newest first. */
  list(
    userId: number,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<{ readonly items: readonly Suppression[]; readonly nextCursor: string | null }>;
  /** Whether the device's user does not write to this person: by number, in each way in which it may be registered, or by LID, as far as the device knows them. */
  has(deviceId: number, person: Jid): Promise<boolean>;
}

/** A person who wrote a stop word, to be listed if the message is new. */
export interface StopWord {
  readonly messageId: string;
  /** The message was stored before, without its content. */
  readonly arrived: boolean;
  readonly number: string | null;
  readonly lid: Jid | null;
  readonly word: string;
}
