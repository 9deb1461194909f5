/** Create: the device exists once the network has given its first QR (docs/spec/devices.md, Create device). */
import type { Actor } from '../../domain/audit.ts';
import type { Device, DeviceRecord } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import type { Session } from '../../domain/sessions/session.ts';
import { HandsetError } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { deviceView, reasonOf } from './view.ts';
import { askForCode, checkCode } from './pairing-code.ts';
import type { LiveParts } from '../parts.ts';
import { awaitOffer, pairingError } from './first-offer.ts';

export interface DeviceWish {
  readonly name?: string;
  readonly webhookUrl?: string;
  readonly webhookEvents?: readonly EventKind[];
  /** Digits: asks for a pairing code too. */
  readonly phoneNumber?: string;
  readonly proxy?: string | null;
}

export interface CreatedDevice {
  readonly device: Device;
  readonly pairingCode: string | null;
}

const register = (
  { stores, clock, outbound }: LiveParts,
  userId: number,
  wish: DeviceWish,
  by: Actor | undefined,
): Promise<DeviceRecord> =>
  stores.devices.create(
    {
      userId,
      name: wish.name ?? null,
      webhookUrl: wish.webhookUrl ?? null,
      webhookEvents: [...new Set(wish.webhookEvents ?? eventKinds)],
      proxy: typeof wish.proxy === 'string' ? outbound.checkProxy(wish.proxy) : null,
    },
    clock.now(),
    by,
  );

/** The life of the device when there is something to pair with, or when the phone was even faster. */
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

/** A device that never had a QR leaves no trace, and does not count against the limit. */
const discard = ({ stores, runtimes, ownership }: LiveParts, runtime: DeviceRuntime): Promise<void> =>
  runtime.operations.runExclusive(async () => {
    await runtimes.remove(runtime);
    await stores.devices.delete(runtime.id);
    ownership?.forget(runtime.id);
  });

export const createDevice = async (
  parts: LiveParts,
  userId: number,
  wish: DeviceWish,
  signal?: AbortSignal,
  by?: Actor,
): Promise<CreatedDevice> => {
  if (wish.webhookUrl !== undefined) await parts.outbound.check(wish.webhookUrl, 'webhookUrl');
  const record = await register(parts, userId, wish, by);
  await parts.ownership?.locate(record.id);
  const runtime = parts.runtimes.of(record);
  try {
    askForCode(runtime, wish.phoneNumber ?? null, parts.clock.now());
    runtime.handle({ kind: 'start' }, true);
    const session = await firstOffer(parts, runtime, wish.phoneNumber !== undefined, signal);
    await runtime.ledger.settled;
    const { state } = session;
    const offer = state.kind === 'pairing' ? state.offer : null;
    const qr = offer === null ? null : await runtime.image.of(offer.qrText);
    return {
      device: deviceView(record, session, qr, parts.clock.now()),
      pairingCode: offer?.code?.code ?? null,
    };
  } catch (error) {
    await discard(parts, runtime);
    throw error;
  }
};
