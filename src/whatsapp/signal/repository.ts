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
import type { AskNetwork } from './lid-inquiry.ts';
import { type LidMapping, makeLidMapping } from './lid-mapping.ts';
import { makeReceive, type OnPlaintext, type OnUndecryptable } from './inbox.ts';
import { makeMigration } from './migration.ts';
import { makeEncryptBatch, type EncryptBatch } from './encrypt-batch.ts';
import { makeSessions } from './sessions.ts';
import { makeDecryptBatch, type DecryptBatch } from './decrypt-batch.ts';
import { Locks, reporting, SignalRecords } from './signal-records.ts';

export type { OnPlaintext, OnUndecryptable } from './inbox.ts';

/** Baileys' config option `makeSignalRepository`. */
export type MakeSignalRepository = (auth: SignalAuthState, logger: unknown, askNetwork?: AskNetwork) => Repository;

export type Repository = SignalRepositoryWithLIDStore & {
  readonly decryptBatch: DecryptBatch;
  readonly encryptBatch: EncryptBatch;
  readonly encryptForGroup: EncryptForGroup;
};

export interface RepositoryOptions {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly onPlaintext: OnPlaintext;
  readonly onUndecryptable?: OnUndecryptable;
  readonly log: Logger;
  /** Shared with the other readers and writers of pairs; one of its own when left out. */
  readonly lidMapping?: LidMapping;
  /** Shared with the key store, so that a session is not deleted in the middle of an operation on it. */
  readonly locks?: Locks;
  /**
   * Called at once, before the failed operation rejects, when the store fails. Baileys would answer a decryption that
   * fails with a negative ack and the message would be gone: close the socket here, and the network delivers it again.
   */
  readonly onStoreFailure?: (error: unknown) => void;
}

export const makeRepository = (options: RepositoryOptions): MakeSignalRepository => {
  const { deviceId, onPlaintext, onUndecryptable, log, onStoreFailure } = options;
  const store = onStoreFailure === undefined ? options.store : reporting(options.store, onStoreFailure);
  const locks = options.locks ?? new Locks();
  const mapping = options.lidMapping ?? makeLidMapping({ deviceId, store: options.store });

  return (auth, _logger, askNetwork) => {
    mapping.askWith(askNetwork);
    const records = new SignalRecords({ deviceId, store, locks, pairs: mapping.pairs });
    const receive = makeReceive({ deviceId, store, records, onPlaintext, onUndecryptable });
    return {
      ...makeSessions(auth, records, receive, log),
      ...makeGroups(auth, records, receive),
      decryptBatch: makeDecryptBatch(auth, records),
      encryptBatch: makeEncryptBatch(auth, records),
      encryptForGroup: makeEncryptForGroup(auth, records),
      migrateSession: makeMigration(auth, records, mapping.pairs),
      jidToSignalProtocolAddress: (jid) => sessionId(addressOf(jid)),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Baileys types it by its class, and calls its public methods
      lidMapping: mapping as unknown as SignalRepositoryWithLIDStore['lidMapping'],
      close: () => mapping.close(),
    };
  };
};
