/** Connecting and disconnecting devices. */
import { deviceJid } from './accounts/jid.ts';
import { type Counters, type HubState, type Session, conflict } from './state/state.ts';
import { seconds } from '../base/clock.ts';
import type { Client, Device } from '../base/types.ts';
import { element } from '../base/nodes.ts';
import { tellExpiration } from './messages/expiration.ts';
import { setAvailable } from './messages/presence.ts';
import { beginBacklog } from './messages/queue.ts';

export interface HubStats extends Counters {
  readonly pending: Readonly<Record<string, number>>;
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

/** A passive client gets its backlog once it reports that it is active. */
export const attach = (hub: HubState, device: Device, client: Client, passive: boolean): void => {
  if (device.account.devices.get(device.id) !== device) throw new Error('that device is not linked');
  const replaced = device.client;
  if (device.id !== 0) hub.logins.add(device, hub.clock.now(), replaced !== null);
  device.client = client;
  const session: Session = {
    device,
    client,
    flowing: false,
    backlog: null,
    available: false,
    pushName: null,
    retried: new Set(),
  };
  hub.sessions.set(device, session);
  replaced?.close(conflict(hub, 'replaced'));
  client.send(
    element('success', {
      t: seconds(hub.clock),
      props: '0',
      companion_enc_static: '',
      lid: deviceJid(device, 'lid'),
      display_name: device.account.name,
      location: 'sandbox',
      creation: String(Math.floor(device.linkedAt / 1000)),
    }),
  );
  tellExpiration(hub, session);
  if (!passive) beginBacklog(hub, session);
};

export const detach = (hub: HubState, device: Device, client: Client): void => {
  if (device.client !== client) return;
  setAvailable(hub, device, false);
  device.client = null;
  hub.sessions.delete(device);
};
