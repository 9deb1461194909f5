/** Delete: logs out where linked, then every trace goes (docs/spec/devices.md, Delete device). */
import type { Clock } from '../../domain/clock.ts';
import type { Network, NetworkSession } from '../../domain/network.ts';
import { messageOf } from '../../errors.ts';
import { within } from '../time/deadline.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import type { LiveParts } from '../parts.ts';

/** Best effort: the phone's list of linked devices is not worth more of the caller's time. */
const logoutMs = 5_000;

/** Opens a session for nothing but the logout: of a device that is linked but not connected. */
const openOnce = (
  network: Network,
  deviceId: number,
  epoch: number | null,
): { readonly session: NetworkSession; readonly opened: Promise<void> } => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const session = network.connect(
    { deviceId, epoch, pairingNumber: null },
    {
      pairing: () => reject(new Error('the device is not linked any more')),
      passkey: () => reject(new Error('the device is not linked any more')),
      linked: () => undefined,
      open: () => resolve(),
      restricted: () => undefined,
      backlog: () => undefined,
      closed: (reason) => reject(new Error(`the session was closed: ${reason.kind}`)),
    },
  );
  return { session, opened: promise };
};

const logoutUnconnected = async (network: Network, clock: Clock, { id, epoch }: DeviceRuntime): Promise<void> => {
  const { session, opened } = openOnce(network, id, epoch);
  try {
    await within(
      clock,
      logoutMs,
      opened.then(() => session.logout()),
    );
  } finally {
    await session.close();
  }
};

const logout = async ({ network, clock, runtimes }: LiveParts, runtime: DeviceRuntime): Promise<void> => {
  if (runtime.networkSession !== null) return runtime.connection.logout(logoutMs);
  await runtimes.remove(runtime);
  await logoutUnconnected(network, clock, runtime);
};

export const deleteDevice = (parts: LiveParts, scope: DeviceScope): Promise<void> =>
  scope.operate(async (runtime) => {
    const { runtimes, stores, log, ownership } = parts;
    const { id, actor } = scope;
    if (runtime.session.account !== null) {
      await logout(parts, runtime).catch((error: unknown) =>
        log.warn({ deviceId: id, reason: messageOf(error) }, 'the device was deleted without a logout'),
      );
    }
    await runtimes.remove(runtime);
    await stores.devices.delete(id, actor);
    ownership?.forget(id);
  });
