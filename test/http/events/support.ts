/** Events for the tests of the event log. */
import type { Harness } from '../harness.ts';

/** Writes `call` events, numbered from `first`, one commit each. */
export const happen = async (
  { stores }: Harness,
  deviceId: number,
  first: number,
  count: number,
  padding = '',
): Promise<void> => {
  for (let number = first; number < first + count; number += 1) {
    const data = {
      callId: `${number}${padding}`,
      from: '1@lid',
      fromNumber: null,
      fromLid: '1@lid',
      isVideo: false,
      isGroup: false,
      status: 'offer' as const,
    };
    const event = { event: { type: 'call' as const, data }, at: Date.now(), orderKey: 'call' };
    await stores.changes.commit(deviceId, { events: [event] });
  }
};

export const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
