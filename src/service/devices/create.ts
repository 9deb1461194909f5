/** Create: the device exists once the network has given its first QR (docs/spec/devices.md, Create device). */
import type { Actor } from '../../domain/audit.ts';
import type { Device, DeviceRecord } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import type { Session } from '../../domain/session.ts';
import { HandsetError } from '../../errors.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { deviceView, reasonOf } from './view.ts';
import { askForCode, checkCode } from './pairing-code.ts';
import type { LiveParts } from '../parts.ts';
import { networkWaitMs } from '../sending/readiness.ts';

export interface DeviceWish {
  readonly name?: string;
  readonly webhookUrl?: string;
  readonly webhookEvents?: readonly EventKind[];
  /** Digits: asks for a pairing code too. */
  readonly phoneNumber?: string;
}

export interface CreatedDevice {
  readonly device: Device;
  readonly pairingCode: string | null;
}

const register = (
  { stores, clock }: LiveParts,
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
    },
    clock.now(),
    by,
  );

/** The life of the device when there is something to pair with, or when the phone was even faster. */
const firstOffer = async (
  { options }: LiveParts,
  runtime: DeviceRuntime,
  wantsCode: boolean,
  signal?: AbortSignal,
): Promise<Session> => {
  const pick = (session: Session): Session | undefined => {
    const { state } = session;
    if (state.kind === 'closed') {
      const why = state.detail ?? reasonOf(state);
      throw new HandsetError('PairingFailed', `The device could not be paired: ${why}`);
    }
    if (state.kind === 'connecting' || state.kind === 'passkey_required') return undefined;
    if (state.kind !== 'pairing' || !wantsCode) return session;
    checkCode(state.offer, (why) => new HandsetError('PairingFailed', `The device could not be paired: ${why}`));
    return state.offer.code === null ? undefined : session;
  };
  const session = await runtime.waitFor(pick, networkWaitMs(options), signal);
  if (session === null) throw new HandsetError('RequestTimeout', 'Request timeout');
  return session;
};

/** Nothing of a device that never had a QR remains, and nothing of it counts against the limit. */
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
