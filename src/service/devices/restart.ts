/** Restart: a linked device connects again, any other one starts a new pairing (docs/spec/devices.md, Restart device). */
import type { Session } from '../../domain/sessions/session.ts';
import { HandsetError, invalidRequest } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { reasonOf } from './view.ts';
import { awaitOffer, pairingError } from './first-offer.ts';
import { askForCode, checkCode, presentCode } from './pairing-code.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { networkWaitMs } from '../sending/readiness.ts';

export interface RestartedDevice {
  readonly pairingCode: string | null;
}

/** A linked device that is not back by then keeps connecting, and the answer says that it was restarted. */
const reopenMs = 10_000;

/** With what the network said. */
const failure = (id: number, why: string): HandsetError =>
  new HandsetError('RestartFailed', `Failed to restart device ${id}: ${why}`);

const failed = (runtime: DeviceRuntime, { state }: Session): HandsetError => {
  const detail = state.kind === 'closed' ? state.detail : null;
  const { message } = failure(runtime.id, detail ?? reasonOf(state) ?? 'the session was closed');
  return pairingError('RestartFailed', runtime, message);
};

const reopened = async ({ options }: LiveParts, runtime: DeviceRuntime, signal?: AbortSignal): Promise<void> => {
  const pick = (session: Session): true | undefined => {
    const { state } = session;
    if (state.kind === 'closed') throw failed(runtime, session);
    // The network has just said so; nothing is gained by waiting.
    if (state.kind === 'reconnecting' && state.ban !== undefined) throw failed(runtime, session);
    return state.kind === 'open' || state.kind === 'pairing' ? true : undefined;
  };
  await runtime.waitFor(pick, Math.min(reopenMs, networkWaitMs(options)), signal);
};

const offered = async (
  parts: LiveParts,
  runtime: DeviceRuntime,
  wantsCode: boolean,
  signal?: AbortSignal,
): Promise<string | null> => {
  const pick = (session: Session): { readonly code: string | null } | undefined => {
    const { state } = session;
    if (state.kind === 'closed') throw failed(runtime, session);
    if (state.kind === 'open' || state.kind === 'reconnecting') return { code: null };
    if (state.kind !== 'pairing') return undefined;
    if (!wantsCode) return { code: null };
    checkCode(state.offer, (why) => failure(runtime.id, why));
    return state.offer.code === null ? undefined : { code: state.offer.code.code };
  };
  return (await awaitOffer(parts, runtime, pick, signal)).code;
};

/** Only the change itself is serialised: a second restart or a delete need not wait for the network. */
export const restartDevice = async (
  parts: LiveParts,
  scope: DeviceScope,
  phoneNumber: string | null,
  signal?: AbortSignal,
): Promise<RestartedDevice> => {
  const { runtime, linked, code } = await scope.operate(async (live, record) => {
    if (record.subscriptionStatus === 'inactive') {
      throw invalidRequest('The device is inactive; set subscription_status to active first', 'device_inactive');
    }
    const { id, userId, actor } = scope;
    await parts.stores.audit.append(actor, 'device.restarted', { userId, deviceId: id });
    const now = parts.clock.now();
    const present = presentCode(live, phoneNumber, now);
    if (present !== null) return { runtime: live, linked: false, code: present };
    askForCode(live, phoneNumber, now);
    live.handle({ kind: 'restart' }, true);
    return { runtime: live, linked: live.session.account !== null, code: null };
  });
  if (code !== null) return { pairingCode: code };
  if (!linked) return { pairingCode: await offered(parts, runtime, phoneNumber !== null, signal) };
  await reopened(parts, runtime, signal);
  await runtime.ledger.settled;
  return { pairingCode: null };
};
