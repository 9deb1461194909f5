/** Waits, and ends with the signal's reason when it is aborted. */
import { setTimeout } from 'node:timers/promises';

export const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
  await setTimeout(ms, undefined, { signal });
};
