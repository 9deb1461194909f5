/** Counters of the network, for tests and benchmarks. */
import { deviceJid } from './accounts/jid.ts';
import type { Counters, HubState } from './state/state.ts';

export interface HubStats extends Counters {
  /** Stanzas that wait for a device, or that it has not acked, by device JID; devices with none are left out. */
  readonly pending: Readonly<Record<string, number>>;
  /** Linked devices that are connected; `connections` counts what is not closed yet, too. */
  readonly loggedIn: number;
}

export const statsOf = (hub: HubState): HubStats => {
  const pending: Record<string, number> = {};
  for (const account of hub.registry.byNumber.values()) {
    for (const device of account.devices.values()) {
      if (device.queue.size > 0) pending[deviceJid(device, 'pn')] = device.queue.size;
    }
  }
  const loggedIn = [...hub.sessions.keys()].filter(({ id }) => id !== 0).length;
  return { ...hub.counters, pending, loggedIn };
};
