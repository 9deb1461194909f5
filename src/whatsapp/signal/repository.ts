/** Every operation is durable before its ciphertext or plaintext is returned, so a crash neither loses a message nor reuses a message key. */
import { boundedCache } from '../library/bounded-cache.ts';
import type { SignalAuthState } from '../library/types.ts';
import type { SessionCredentials } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { makeEncryptForGroup, makeGroups } from './groups.ts';
import type { LidMapping, LidPairs } from './lid-mapping.ts';
import { makeReceive } from './inbox.ts';
import { makeEncryptBatch, makeDecryptBatch } from './batches.ts';
import { hasOpenSession } from './session-record.ts';
import { makeSessions } from './sessions.ts';
import {
  addressOf,
  lidUserOf,
  type Locks,
  moveRecords,
  phoneDevice,
  phoneUserOf,
  reporting,
  sessionId,
  SignalRecords,
  underLid,
} from './signal-records.ts';

export type Repository = ReturnType<typeof makeRepository>;

export interface RepositoryOptions extends SignalAuthState {
  readonly deviceId: number;
  readonly store: SessionCredentials;
  readonly log: Logger;
  /** Shared with other readers and writers of pairs. */
  readonly lidMapping: LidMapping;
  /** Shared with the key store, so that no session is deleted during an operation on it. */
  readonly locks: Locks;
  /** Called before the operation rejects. Close the socket here: a failed decryption is nacked, and the message would be lost. */
  readonly onStoreFailure: (error: unknown) => void;
}

interface Migration {
  readonly migrated: number;
  readonly skipped: number;
  readonly total: number;
}

/** Pairs known to have nothing left to migrate. */
const maxSettled = 2_000;

const makeMigration = (
  auth: SignalAuthState,
  records: SignalRecords,
  pairs: LidPairs,
): ((fromJid: string, toJid: string) => Promise<Migration>) => {
  const settled = boundedCache<true>(maxSettled);
  /** Once the pair is stored, every operation uses the LID, so nothing new is stored under the phone address. */
  const settle = (phoneUser: string, lidUser: string): void => {
    if (pairs.cachedLidOf(phoneUser) !== lidUser) return;
    settled.set(`${phoneUser} ${lidUser}`, true);
  };

  return async (fromJid, toJid): Promise<Migration> => {
    const lidUser = /@(?:hosted\.)?lid$/.test(toJid) ? lidUserOf(addressOf(toJid)) : null;
    if (!fromJid || lidUser === null) return { migrated: 0, skipped: 0, total: 0 };
    if (!/@(?:s\.whatsapp\.net|hosted)$/.test(fromJid)) return { migrated: 0, skipped: 0, total: 1 };
    const from = addressOf(fromJid);
    const phoneUser = phoneUserOf(from)!;
    if (settled.get(`${phoneUser} ${lidUser}`)) return { migrated: 0, skipped: 0, total: 0 };

    const { [phoneUser]: listed = [] } = await auth.keys.get('device-list', [phoneUser]);
    const moves = [...new Set([0, from.device, ...listed.map(Number)])].map((device) => {
      const phone = phoneDevice(phoneUser, device);
      return { from: sessionId(phone), to: sessionId(underLid(phone, lidUser)) };
    });
    const existing = await records.read(
      'session',
      moves.map((move) => move.from),
    );
    const present = moves.filter((move) => existing.has(move.from));
    const migrated = present.length === 0 ? 0 : await moveAll(records, present);
    settle(phoneUser, lidUser);
    return { migrated, skipped: present.length - migrated, total: present.length };
  };
};

const moveAll = (
  records: SignalRecords,
  moves: readonly { readonly from: string; readonly to: string }[],
): Promise<number> =>
  records.holding(
    moves.flatMap(({ from, to }) => [from, to]),
    async (unit) => {
      await unit.load(
        'session',
        moves.map(({ from }) => from),
      );
      let migrated = 0;
      for (const { from, to } of moves) {
        const record = unit.get('session', from);
        if (record === null || !hasOpenSession(record)) continue;
        await moveRecords(unit, 'session', from, to);
        migrated += 1;
      }
      await unit.commit();
      return migrated;
    },
  );

export const makeRepository = (options: RepositoryOptions) => {
  const { deviceId, lidMapping: mapping, locks, log, onStoreFailure } = options;
  const store = reporting(options.store, onStoreFailure);
  const records = new SignalRecords({ deviceId, store, locks, pairs: mapping.pairs });
  const receive = makeReceive({ deviceId, store });
  return {
    ...makeSessions(options, records, receive, log),
    ...makeGroups(options, records, receive),
    decryptBatch: makeDecryptBatch(options, records),
    encryptBatch: makeEncryptBatch(options, records),
    encryptForGroup: makeEncryptForGroup(options, records),
    migrateSession: makeMigration(options, records, mapping.pairs),
  };
};
