/** Sessions wherever they live: in this process, or as their node published them. */
import type { DeviceRecord } from '../../domain/device.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { LiveParts } from '../parts.ts';
import { inherited } from './runtimes.ts';

/** In the order of the records. */
export const sessionsOf = async (
  { runtimes, stores, clock }: Pick<LiveParts, 'runtimes' | 'stores' | 'clock'>,
  records: readonly DeviceRecord[],
): Promise<readonly Session[]> => {
  const { cluster } = stores;
  if (cluster === null) return records.map((record) => runtimes.sessionOf(record));
  const elsewhere = records.filter(({ id }) => runtimes.find(id) === null).map(({ id }) => id);
  const placements = await cluster.leases.find(elsewhere);
  return records.map((record) => {
    const own = runtimes.find(record.id);
    if (own !== null) return own.session;
    const { owner = null, memo = null } = placements.get(record.id) ?? {};
    // Nobody has it at the moment: it is what the next owner will begin with.
    return owner !== null && memo !== null ? memo.session : inherited(record, memo, clock.now());
  });
};
