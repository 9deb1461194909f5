/** The life cycle of devices, for their owner (docs/spec/devices.md, Operations). */
import type { Actor } from '../../domain/audit.ts';
import type { Device, DevicePatch, DeviceRecord, DeviceSettings } from '../../domain/device.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { SessionView } from '../../domain/sessions/state.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import { deviceNotFound, notFound } from '../../errors.ts';
import { makeDeviceCaptures } from './captures.ts';
import { type CreatedDevice, createDevice, type DeviceWish } from './create.ts';
import { deleteDevice } from './delete.ts';
import { disconnectDevice } from './disconnect.ts';
import { asItEnded } from './ended.ts';
import { limitsOf, type LimitsView } from './limits.ts';
import { type DownloadedMedia, downloadMedia } from './media.ts';
import { makeDevicePasskeys } from './passkey.ts';
import { type Reread, rereadMessages } from './reread.ts';
import { type RestartedDevice, restartDevice } from './restart.ts';
import { exportDevice, forgetDevice, importDevice } from './transfer.ts';
import { updateSettings } from './settings.ts';
import { updateDevice } from './update.ts';
import { deviceView, sessionView } from './view.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { sessionsOf } from '../sessions/sessions.ts';
import type { LiveParts } from '../parts.ts';

const pairingView = async (
  { runtimes, clock, qr: draw }: LiveParts,
  record: DeviceRecord,
  session: Session,
  qrText: string,
): Promise<Device> => {
  const qr = await (runtimes.find(record.id)?.image.of(qrText) ?? draw(qrText));
  return deviceView(record, session, qr, clock.now());
};

/** Returns at once where there is no QR to draw: a list may have a thousand devices. */
const viewOf = (parts: LiveParts, record: DeviceRecord, session: Session): Device | Promise<Device> => {
  const { state } = session;
  if (state.kind === 'pairing') return pairingView(parts, record, session, state.offer.qrText);
  return deviceView(record, session, null, parts.clock.now());
};

/** Operations throw DeviceNotFound for a device that was deleted meanwhile. */
export const makeDevices = (parts: LiveParts) => {
  const { stores, clock } = parts;
  const sessionOf = async (record: DeviceRecord): Promise<Session> => (await sessionsOf(parts, [record]))[0]!;
  return {
    /** The record of a device of this user. Throws DeviceNotFound for another one's. */
    async owned(userId: number, id: number): Promise<DeviceRecord> {
      const record = await stores.devices.find(id);
      if (record === null || record.userId !== userId) throw deviceNotFound();
      return record;
    },
    /** Captures for reports of bugs; the operator's. */
    captures: makeDeviceCaptures(parts),
    /** Linking behind a passkey. */
    passkeys: makeDevicePasskeys(parts),
    create: (userId: number, wish: DeviceWish, signal?: AbortSignal, by?: Actor): Promise<CreatedDevice> =>
      createDevice(parts, userId, wish, signal, by),
    async list(userId: number, page: PageRequest): Promise<Page<Device>> {
      const { items, nextCursor } = await stores.devices.list(userId, page);
      const sessions = await sessionsOf(parts, items);
      const views: Device[] = [];
      for (const [n, record] of items.entries()) {
        const view = viewOf(parts, record, sessions[n]!);
        // A thousand promises take longer than what they wait for.
        views.push(view instanceof Promise ? await view : view);
      }
      return { items: views, nextCursor };
    },
    async get(scope: DeviceScope): Promise<Device> {
      const record = await scope.record();
      return viewOf(parts, record, await sessionOf(record));
    },
    async update(scope: DeviceScope, patch: DevicePatch): Promise<Device> {
      const record = await updateDevice(parts, scope, patch);
      return viewOf(parts, record, await sessionOf(record));
    },
    updateSettings: (scope: DeviceScope, settings: Partial<DeviceSettings>): Promise<DeviceSettings> =>
      updateSettings(parts, scope, settings),
    restart: (scope: DeviceScope, phoneNumber: string | null, signal?: AbortSignal): Promise<RestartedDevice> =>
      restartDevice(parts, scope, phoneNumber, signal),
    disconnect: (scope: DeviceScope): Promise<void> => disconnectDevice(parts, scope),
    delete: (scope: DeviceScope): Promise<void> => deleteDevice(parts, scope),
    /** Stops the device; the sealed package for another installation. Throws InvalidRequest for one that is not linked. */
    export: (scope: DeviceScope, passphrase: string): Promise<string> => exportDevice(parts, scope, passphrase),
    /** The new device's id. Throws InvalidRequest and DeviceLimitReached. */
    import: (userId: number, sealed: string, passphrase: string, by: Actor, proxy?: string | null): Promise<number> =>
      importDevice(parts, userId, sealed, passphrase, by, proxy),
    /** Deletes a stopped device without a logout. Throws InvalidRequest for an active one. */
    forget: (scope: DeviceScope): Promise<void> => forgetDevice(parts, scope),
    async session(scope: DeviceScope): Promise<SessionView> {
      const record = await scope.record();
      return sessionView(record, await asItEnded(stores.events, scope.id, await sessionOf(record)), clock.now());
    },
    async limits(scope: DeviceScope): Promise<LimitsView> {
      const record = await scope.record();
      return limitsOf(parts, record, await sessionOf(record));
    },
    /** The text that the present QR encodes. Throws NotFound when there is none. */
    async qrText(scope: DeviceScope): Promise<string> {
      const { state } = await sessionOf(await scope.record());
      if (state.kind !== 'pairing') throw notFound('QR');
      return state.offer.qrText;
    },
    downloadMedia: (scope: DeviceScope, messageId: string, chat?: string): Promise<DownloadedMedia> =>
      downloadMedia(parts, scope, messageId, chat),
    /** For the operator: one page of the log. */
    reread: (scope: DeviceScope, cursor: string | null): Promise<Reread> => rereadMessages(parts, scope, cursor),
  };
};

export type Devices = ReturnType<typeof makeDevices>;
