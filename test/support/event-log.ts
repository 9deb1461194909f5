/** The log of a device from its beginning, without the event of its creation. */
import type { StoredEvent } from '../../src/domain/event.ts';
import type { Stores } from '../../src/domain/stores.ts';

export const logOf = async (events: Stores['events'], deviceId: number): Promise<readonly StoredEvent[]> => {
  const log = await events.listAfter(deviceId, null, 1_000_000);
  return log.filter(({ event }) => event.type !== 'device.created');
};
