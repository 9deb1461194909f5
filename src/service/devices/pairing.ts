/** Creating and restarting: starts a pairing, and waits for an offer (docs/spec/devices.md, Create device and Restart device). */
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { Actor } from '../../domain/audit.ts';
import type { Device, DeviceRecord } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import type { MovedLink } from '../../domain/stores.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { PairingOffer } from '../../domain/sessions/state.ts';
import { HandsetError, invalidRequest, networkUnreachable, requestTimeout } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { networkWaitMs } from '../sending/readiness.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { deviceView, reasonOf } from './view.ts';

/** Usually the QR is ready by then, so no request is made. */
const promptMs = 750;

/** 400 if the device's proxy is to blame. */
const pairingError = (
  name: 'PairingFailed' | 'RestartFailed',
  { settings }: DeviceRuntime,
  words: string,
): HandsetError =>
  new HandsetError(settings.proxy !== null && /\bproxy\b/.test(words) ? 'InvalidRequest' : name, words);

/** The first result of `pick`. Throws NetworkUnreachable within 5 s without a connection, RequestTimeout without an offer. */
const awaitOffer = async <T>(
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
  const isDirect = runtime.settings.proxy === null;
  const timer = clock.after(promptMs, () => void (isDirect && look()));
  try {
    const waiting = runtime.waitFor(pick, networkWaitMs(options), signal);
    const offer = await Promise.race([waiting, unreachable.promise]);
    if (offer === null) throw requestTimeout();
    return offer;
  } finally {
    timer.cancel();
    unreachable.promise.catch(() => null);
  }
};

/** A repeated request within this time gets the same code: someone may be typing it. */
const sameCodeMs = 60_000;

const askForCode = (runtime: DeviceRuntime, number: string | null, now: number): void => {
  runtime.pairingNumber = number;
  runtime.codeAskedAt = now;
};

/** Null unless a recent code for the number is still valid. */
const presentCode = (runtime: DeviceRuntime, number: string | null, now: number): string | null => {
  const { state } = runtime.session;
  if (number === null || number !== runtime.pairingNumber || state.kind !== 'pairing') return null;
  const { code } = state.offer;
  return code !== null && code.expiresAt > now && now - runtime.codeAskedAt < sameCodeMs ? code.code : null;
};

/** Throws InvalidRequest if no account has the number, otherwise `failed(…)`. */
const checkCode = ({ codeRefusal }: PairingOffer, failed: (why: string) => Error): void => {
  if (codeRefusal === undefined) return;
  if (codeRefusal.unknownNumber)
    throw invalidRequest("This number isn't on WhatsApp. Check the country code", 'number_not_on_network');
  throw failed(`the network refused the pairing code: ${codeRefusal.detail}`);
};

export interface DeviceRequest {
  readonly name?: string;
  readonly webhookUrl?: string | null;
  readonly webhookEvents?: readonly EventKind[];
  readonly phoneNumber?: string;
  readonly proxy?: string | null;
}

export interface CreatedDevice {
  readonly device: Device;
  readonly pairingCode: string | null;
}

export const register = async (
  { stores, clock, outbound }: LiveParts,
  userId: number,
  request: DeviceRequest & { readonly link?: MovedLink },
  by: Actor | undefined,
  once?: Creation,
): Promise<DeviceRecord> => {
  const { name = null, webhookUrl = null, webhookEvents = eventKinds, proxy, link } = request;
  if (webhookUrl !== null) await outbound.check(webhookUrl, 'webhookUrl');
  const checkedProxy = typeof proxy === 'string' ? outbound.checkProxy(proxy) : null;
  const made = { userId, name, webhookUrl, webhookEvents: [...new Set(webhookEvents)], proxy: checkedProxy, link };
  return stores.devices.create(made, clock.now(), by, once);
};

const firstOffer = (
  parts: LiveParts,
  runtime: DeviceRuntime,
  wantsCode: boolean,
  signal?: AbortSignal,
): Promise<Session> => {
  const pick = (session: Session): Session | undefined => {
    const { state } = session;
    if (state.kind === 'closed') {
      const why = state.detail ?? reasonOf(state);
      throw pairingError('PairingFailed', runtime, `The device could not be paired: ${why}`);
    }
    if (state.kind === 'connecting' || state.kind === 'passkey_required') return undefined;
    if (state.kind !== 'pairing' || !wantsCode) return session;
    checkCode(state.offer, (why) => new HandsetError('PairingFailed', `The device could not be paired: ${why}`));
    return state.offer.code === null ? undefined : session;
  };
  return awaitOffer(parts, runtime, pick, signal);
};

/** Removes a device that never had a QR, so that it does not count against the limit. */
const discard = ({ stores, runtimes, ownership }: LiveParts, runtime: DeviceRuntime): Promise<void> =>
  runtime.operations.runExclusive(async () => {
    await runtimes.remove(runtime);
    await stores.devices.delete(runtime.id);
    ownership?.forget(runtime.id);
  });

interface RestartedDevice {
  readonly pairingCode: string | null;
}

/** After this a linked device keeps connecting, and the request succeeds. */
const reopenMs = 10_000;

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
    // The network has just refused, so waiting would not help.
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

export const makePairing = (parts: LiveParts) => ({
  async create(
    userId: number,
    request: DeviceRequest,
    signal?: AbortSignal,
    by?: Actor,
    once?: Creation,
  ): Promise<CreatedDevice> {
    const record = await register(parts, userId, request, by, once);
    await parts.ownership?.locate(record.id);
    const runtime = parts.runtimes.of(record);
    try {
      askForCode(runtime, request.phoneNumber ?? null, parts.clock.now());
      runtime.handle({ kind: 'start' }, true);
      const session = await firstOffer(parts, runtime, request.phoneNumber !== undefined, signal);
      await runtime.writes.settled;
      const { state } = session;
      const offer = state.kind === 'pairing' ? state.offer : null;
      const qr = offer === null ? null : await runtime.image.of(offer.qrText);
      const device = deviceView(record, session, qr, parts.clock.now());
      const made = { device, pairingCode: offer?.code?.code ?? null };
      if (once !== undefined) await parts.stores.creations.answer(once, made);
      return made;
    } catch (error) {
      await discard(parts, runtime);
      if (once !== undefined) await parts.stores.creations.forget(once);
      throw error;
    }
  },
  /** Only the change is serialized: a second restart or a delete need not wait for the network. */
  async restart(scope: DeviceScope, phoneNumber: string | null, signal?: AbortSignal): Promise<RestartedDevice> {
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
    await runtime.writes.settled;
    return { pairingCode: null };
  },
});
