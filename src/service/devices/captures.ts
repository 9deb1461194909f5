/** Captures of the shapes of a device's stanzas, for reports of bugs (docs/internals/wire.md, Capture). The operator's. */
import type { Capture } from '../../domain/network.ts';
import { notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';

const found = (capture: Capture | null): Capture => {
  if (capture === null) throw notFound('Capture');
  return capture;
};

/** `read` and `stop` throw NotFound when there is none. */
export const makeDeviceCaptures = (parts: LiveParts) => {
  const { captures } = parts.network;
  return {
    /** Begins anew where one is under way. */
    start: (scope: DeviceScope, seconds: number): Promise<Capture> =>
      scope.operate(async () => {
        const { id, userId, actor } = scope;
        await parts.stores.audit.append(actor, 'device.captured', { userId, deviceId: id });
        return captures.start(id, seconds * 1000);
      }),
    read: ({ id }: DeviceScope): Capture => found(captures.read(id)),
    /** Ends it and gives what it has. */
    stop: ({ id }: DeviceScope): Capture => found(captures.stop(id)),
  };
};
