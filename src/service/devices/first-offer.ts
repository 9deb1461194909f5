/** Waits for the first QR of a device, and gives up early where the network cannot be reached at all. */
import type { Session } from '../../domain/sessions/session.ts';
import { HandsetError, networkUnreachable } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { networkWaitMs } from '../sending/readiness.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';

/** Mostly the QR is there by then, and nothing needs to be asked. */
const promptMs = 750;

/** The error of a pairing that failed: 400 where the device's proxy is to blame, since the caller can set another. */
export const pairingError = (
  name: 'PairingFailed' | 'RestartFailed',
  { settings }: DeviceRuntime,
  words: string,
): HandsetError =>
  new HandsetError(settings.proxy !== null && /\bproxy\b/.test(words) ? 'InvalidRequest' : name, words);

/**
 * The first result of `pick`. Throws NetworkUnreachable within 5 s where no connection can be made, RequestTimeout where the network is reached and
 * gives nothing in time.
 */
export const awaitOffer = async <T>(
  { options, network, clock }: Pick<LiveParts, 'options' | 'network' | 'clock'>,
  runtime: DeviceRuntime,
  pick: (session: Session) => T | undefined,
  signal?: AbortSignal,
): Promise<T> => {
  const unreachable = Promise.withResolvers<never>();
  const look = async (): Promise<void> => {
    const why = await network.reach();
    if (why !== null) unreachable.reject(networkUnreachable(why));
  };
  // The direct way tells nothing of the way through a proxy.
  const isDirect = runtime.settings.proxy === null;
  const timer = clock.after(promptMs, () => void (isDirect && look()));
  try {
    const waiting = runtime.waitFor(pick, networkWaitMs(options), signal);
    const offer = await Promise.race([waiting, unreachable.promise]);
    if (offer === null) throw new HandsetError('RequestTimeout', 'Request timeout');
    return offer;
  } finally {
    timer.cancel();
    unreachable.promise.catch(() => null);
  }
};
