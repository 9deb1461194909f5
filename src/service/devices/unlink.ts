/** Disconnect and delete: both log out on the network (docs/spec/devices.md, Disconnect device and Delete device). */
import { handedOverNote } from '../../domain/changes.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Network, NetworkSession } from '../../domain/network.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { graceMs, statusOf } from '../../domain/sessions/state.ts';
import { deviceNotConnected, HandsetError, messageOf } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { networkWaitMs } from '../sending/readiness.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { within } from '../time/deadline.ts';

const logoutMs = 8_000;
/** Best effort: the entry on the phone is not worth more of the caller's time. */
const deletionLogoutMs = 5_000;

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
      deletionLogoutMs,
      opened.then(() => session.logout()),
    );
  } finally {
    await session.close();
  }
};

const logout = async ({ network, clock, runtimes }: LiveParts, runtime: DeviceRuntime): Promise<void> => {
  if (runtime.networkSession !== null) return runtime.connection.logout(deletionLogoutMs);
  await runtimes.remove(runtime);
  await logoutUnconnected(network, clock, runtime);
};

export const makeUnlinking = (parts: LiveParts) => ({
  /** Throws DeviceNotConnected; DisconnectFailed if the network did not accept the logout: the device stays linked. */
  disconnect: (scope: DeviceScope): Promise<void> =>
    scope.operate(async (runtime) => {
      const { id, userId, actor } = scope;
      const { clock, options } = parts;
      // Within the grace period the status is `connected`, so the connection is waited for.
      const pick = (session: Session): true | undefined => {
        if (statusOf(session.state, clock.now()) !== 'connected') throw deviceNotConnected(id);
        return session.state.kind === 'open' ? true : undefined;
      };
      if ((await runtime.waitFor(pick, graceMs)) === null) throw deviceNotConnected(id);
      try {
        await runtime.connection.logout(Math.min(logoutMs, networkWaitMs(options)));
      } catch (error) {
        runtime.handle({ kind: 'ended', reason: { kind: 'lost', detail: 'the logout did not succeed' } });
        throw new HandsetError('DisconnectFailed', `Failed to disconnect device ${id}`, { cause: error });
      }
      runtime.handle({ kind: 'logged_out' });
      await parts.stores.audit.append(actor, 'device.disconnected', { userId, deviceId: id });
      await runtime.writes.settled;
    }),
  delete: (scope: DeviceScope): Promise<void> =>
    scope.operate(async (runtime) => {
      const { runtimes, stores, log, ownership } = parts;
      const { id, actor } = scope;
      // A link that was handed over is in use by another program.
      const isElsewhere = (await stores.credentials.readKeys(id, handedOverNote.type, [handedOverNote.id])).size > 0;
      if (runtime.session.account !== null && !isElsewhere) {
        await logout(parts, runtime).catch((error: unknown) =>
          log.warn({ deviceId: id, reason: messageOf(error) }, 'the device was deleted without a logout'),
        );
      }
      await runtimes.remove(runtime);
      await stores.devices.delete(id, actor);
      ownership?.forget(id);
    }),
});
