/**
 * The Signal repository of a device, in place of the one that Baileys brings: every operation is durable, in one
 * transaction, before its ciphertext or plaintext is handed on, so that a crash neither loses a message nor uses a
 * message key twice.
 */
import type { SignalAuthState, SignalRepositoryWithLIDStore } from '../engine/types.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { addressOf, sessionId } from './addresses.ts';
import { type EncryptForGroup, makeEncryptForGroup, makeGroups } from './groups.ts';
import type { LidMapping } from './lid-mapping.ts';
import { Inbox, type PlaintextReader } from './inbox.ts';
import { makeMigration } from './migration.ts';
import { makeEncryptBatch, type EncryptBatch, makeDecryptBatch, type DecryptBatch } from './batches.ts';
import { makeSessions } from './sessions.ts';
import { type Locks, reporting, SignalRecords } from './signal-records.ts';

export type Repository = SignalRepositoryWithLIDStore & {
  readonly decryptBatch: DecryptBatch;
  readonly encryptBatch: EncryptBatch;
  readonly encryptForGroup: EncryptForGroup;
  /** To be called before the first message comes. */
  readBy(reader: PlaintextReader): void;
};

export interface RepositoryOptions extends SignalAuthState {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly log: Logger;
  /** Shared with the other readers and writers of pairs. */
  readonly lidMapping: LidMapping;
  /** Shared with the key store, so that a session is not deleted in the middle of an operation on it. */
  readonly locks: Locks;
  /**
   * Called at once, before the failed operation rejects, when the store fails. Baileys would answer a decryption that
   * fails with a negative ack and the message would be gone: close the socket here, and the network delivers it again.
   */
  readonly onStoreFailure: (error: unknown) => void;
}

export const makeRepository = (options: RepositoryOptions): Repository => {
  const { deviceId, lidMapping: mapping, locks, log, onStoreFailure } = options;
  const store = reporting(options.store, onStoreFailure);
  const records = new SignalRecords({ deviceId, store, locks, pairs: mapping.pairs });
  const inbox = new Inbox({ deviceId, store, records });
  return {
    ...makeSessions(options, records, inbox.receive, log),
    ...makeGroups(options, records, inbox.receive),
    decryptBatch: makeDecryptBatch(options, records),
    encryptBatch: makeEncryptBatch(options, records),
    encryptForGroup: makeEncryptForGroup(options, records),
    migrateSession: makeMigration(options, records, mapping.pairs),
    jidToSignalProtocolAddress: (jid) => sessionId(addressOf(jid)),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Baileys types it by its class, and calls its public methods
    lidMapping: mapping as unknown as SignalRepositoryWithLIDStore['lidMapping'],
    readBy: (reader) => inbox.readBy(reader),
    close: () => mapping.close(),
  };
};
