/** Moves a person's sessions from phone number to LID, once the network has paired them. */
import { boundedCache } from '../library/bounded-cache.ts';
import type { SignalAuthState } from '../library/types.ts';
import { addressOf, lidUserOf, phoneDevice, phoneUserOf, sessionId, underLid } from './addresses.ts';
import type { LidPairs } from './lid-mapping.ts';
import { moveRecords, type SignalRecords } from './signal-records.ts';
import { hasOpenSession } from './session-record.ts';

interface Migration {
  readonly migrated: number;
  readonly skipped: number;
  readonly total: number;
}

/** Pairs known to have nothing left to migrate. */
const maxSettled = 2_000;

export const makeMigration = (
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
      await records.commit(unit);
      return migrated;
    },
  );
