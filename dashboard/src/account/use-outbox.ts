/** The unsent messages of a device, for components. */
import { useMemo, useSyncExternalStore } from 'react';
import { useAccount } from './account.tsx';
import type { Entry } from '../outbox/entry.ts';

/** Oldest first. */
export const useEntries = (deviceId: number): readonly Entry[] => {
  const { outbox } = useAccount();
  const entries = useSyncExternalStore(outbox.subscribe, outbox.entries);
  return useMemo(() => entries.filter((entry) => entry.deviceId === deviceId), [entries, deviceId]);
};
