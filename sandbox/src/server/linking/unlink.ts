/** The end of a companion: its connection, its keys, and everyone's idea of it. */
import type { Device } from '../../base/types.ts';
import { conflict } from '../state/conflict.ts';
import { announceDevice } from '../messages/notifications.ts';
import type { HubState } from '../state/state.ts';

export const unlink = (hub: HubState, device: Device): void => {
  if (device.id === 0) throw new Error('a phone cannot be unlinked from its own account');
  const { devices } = device.account;
  if (devices.get(device.id) !== device) throw new Error('that device is not linked');
  const { client } = device;
  devices.delete(device.id);
  hub.sessions.delete(device);
  hub.toldPreKeysLow.delete(device);
  for (const watchers of hub.presenceWatchers.values()) watchers.delete(device);
  device.client = null;
  device.queue.clear();
  device.keys = null;
  announceDevice(hub, device, 'remove');
  client?.close(conflict(hub, 'device_removed', { code: '401' }));
};
