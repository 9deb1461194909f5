/** Captures of the shapes of a device's stanzas, for reports of bugs (docs/internals/wire.md, Capture). The operator's. */
import type { Actor } from '../../domain/audit.ts';
import type { Capture } from '../../domain/network.ts';
import { notFound } from '../../errors.ts';
import { operate } from './access.ts';
import type { LiveParts } from '../parts.ts';

export interface DeviceCaptures {
  /** Begins anew where one is under way. Throws DeviceNotFound. */
  start(userId: number, id: number, seconds: number, by: Actor): Promise<Capture>;
  /** Throws NotFound when there is none. */
  read(id: number): Capture;
  /** Ends it and gives what it has. Throws NotFound when there is none. */
  stop(id: number): Capture;
}

const found = (capture: Capture | null): Capture => {
  if (capture === null) throw notFound('Capture');
  return capture;
};

export const makeDeviceCaptures = (parts: LiveParts): DeviceCaptures => {
  const { captures } = parts.network;
  return {
    start: (userId, id, seconds, by) =>
      operate(parts, userId, id, async () => {
        await parts.stores.audit.append(by, 'device.captured', { userId, deviceId: id });
        return captures.start(id, seconds * 1000);
      }),
    read: (id) => found(captures.read(id)),
    stop: (id) => found(captures.stop(id)),
  };
};
