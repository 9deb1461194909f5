/**
 * A device's Signal repository: every operation is durable, in one transaction, before its ciphertext or plaintext is returned, so that a
 * crash neither loses a message nor reuses a message key.
 */
import type { SignalAuthState } from '../library/types.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { makeEncryptForGroup, makeGroups } from './groups.ts';
import type { LidMapping } from './lid-mapping.ts';
import { makeReceive } from './inbox.ts';
import { makeMigration } from './migration.ts';
import { makeEncryptBatch, makeDecryptBatch } from './batches.ts';
import { makeSessions } from './sessions.ts';
import { type Locks, reporting, SignalRecords } from './signal-records.ts';

export type Repository = ReturnType<typeof makeRepository>;

export interface RepositoryOptions extends SignalAuthState {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly log: Logger;
  /** Shared with other readers and writers of pairs. */
  readonly lidMapping: LidMapping;
  /** Shared with the key store, so that no session is deleted during an operation on it. */
  readonly locks: Locks;
  /**
   * Called before the operation rejects. Close the socket here: a failed decryption is answered with a negative ack, and the message
   * would be lost.
   */
  readonly onStoreFailure: (error: unknown) => void;
}

export const makeRepository = (options: RepositoryOptions) => {
  const { deviceId, lidMapping: mapping, locks, log, onStoreFailure } = options;
  const store = reporting(options.store, onStoreFailure);
  const records = new SignalRecords({ deviceId, store, locks, pairs: mapping.pairs });
  const receive = makeReceive({ deviceId, store, records });
  return {
    ...makeSessions(options, records, receive, log),
    ...makeGroups(options, records, receive),
    decryptBatch: makeDecryptBatch(options, records),
    encryptBatch: makeEncryptBatch(options, records),
    encryptForGroup: makeEncryptForGroup(options, records),
    migrateSession: makeMigration(options, records, mapping.pairs),
  };
};
