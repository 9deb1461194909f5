/** Events for the tests of the event log. */
import type { Harness } from '../harness.ts';

let callers = 0;

/** Writes `call` events, numbered from `first`, one commit each. */
export const happen = async (
  { stores }: Harness,
  deviceId: number,
  first: number,
  count: number,
  padding = '',
): Promise<void> => {
  for (let number = first; number < first + count; number += 1) {
    // The same call of the same person would be told once.
    const from = `${(callers += 1)}@lid`;
    const data = {
      callId: `${number}${padding}`,
      from,
      fromNumber: null,
      fromLid: from,
      isVideo: false,
      isGroup: false,
      status: 'offer' as const,
    };
    const event = { event: { type: 'call' as const, data }, at: Date.now() };
    await stores.changes.commit(deviceId, { facts: [event] });
  }
};

export const range = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => first + index);
