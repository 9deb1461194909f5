/** The event log of a device, without the event of its creation. */
import type { StoredEvent } from '../../src/domain/event.ts';
import type { Page, Stores } from '../../src/domain/stores.ts';

export const logOf = async (events: Stores['events'], deviceId: number): Promise<readonly StoredEvent[]> => {
  const log: StoredEvent[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<StoredEvent> = await events.listAfter(deviceId, { limit: 1_000, cursor });
    log.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return log.filter(({ event }) => event.type !== 'device.created');
};
