/** Disconnect: logs the account out on the network and deletes its authentication (docs/spec/devices.md, Disconnect device). */
import type { Session } from '../../domain/sessions/session.ts';
import { graceMs, statusOf } from '../../domain/sessions/state.ts';
import { HandsetError, deviceNotConnected } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { networkWaitMs } from '../sending/readiness.ts';

const logoutMs = 8_000;

/** Throws DeviceNotConnected; DisconnectFailed when the network did not take the logout, and the device stays linked. */
export const disconnectDevice = (parts: LiveParts, scope: DeviceScope): Promise<void> =>
  scope.operate(async (runtime) => {
    const { id, userId, actor } = scope;
    const { clock, options } = parts;
    // Within the grace the status is `connected`: the link is worth waiting for.
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
    await runtime.ledger.settled;
  });
