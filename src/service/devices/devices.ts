/** The life cycle of devices, for their owner (docs/spec/devices.md, Operations). */
import type { Actor } from '../../domain/audit.ts';
import type { Device, DevicePatch, DeviceRecord, DeviceSettings } from '../../domain/device.ts';
import type { Session } from '../../domain/sessions/session.ts';
import type { SessionView } from '../../domain/sessions/state.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import { notFound } from '../../errors.ts';
import { ownedDevice } from './access.ts';
import { type DeviceCaptures, makeDeviceCaptures } from './captures.ts';
import { type CreatedDevice, createDevice, type DeviceWish } from './create.ts';
import { deleteDevice } from './delete.ts';
import { disconnectDevice } from './disconnect.ts';
import { asItEnded } from './ended.ts';
import { limitsOf, type LimitsView } from './limits.ts';
import { type DownloadedMedia, downloadMedia } from './media.ts';
import { type DevicePasskeys, makeDevicePasskeys } from './passkey.ts';
import { type Reread, rereadMessages } from './reread.ts';
import { type RestartedDevice, restartDevice } from './restart.ts';
import { exportDevice, forgetDevice, importDevice } from './transfer.ts';
import { updateSettings } from './settings.ts';
import { updateDevice } from './update.ts';
import { deviceView, sessionView } from './view.ts';
import { sessionsOf } from '../sessions/sessions.ts';
import type { LiveParts } from '../parts.ts';

/** Every operation throws DeviceNotFound for an unknown device and for another user's. */
export interface Devices {
  create(userId: number, wish: DeviceWish, signal?: AbortSignal, by?: Actor): Promise<CreatedDevice>;
  list(userId: number, page: PageRequest): Promise<Page<Device>>;
  get(userId: number, id: number): Promise<Device>;
  update(userId: number, id: number, patch: DevicePatch, by?: Actor): Promise<Device>;
  updateSettings(userId: number, id: number, settings: Partial<DeviceSettings>, by?: Actor): Promise<DeviceSettings>;
  restart(
    userId: number,
    id: number,
    phoneNumber: string | null,
    signal?: AbortSignal,
    by?: Actor,
  ): Promise<RestartedDevice>;
  disconnect(userId: number, id: number, by?: Actor): Promise<void>;
  delete(userId: number, id: number, by?: Actor): Promise<void>;
  /** Stops the device; the sealed package for another installation. Throws InvalidRequest for one that is not linked. */
  export(userId: number, id: number, passphrase: string, by: Actor): Promise<string>;
  /** The new device's id. Throws InvalidRequest and DeviceLimitReached. */
  import(userId: number, sealed: string, passphrase: string, by: Actor, proxy?: string | null): Promise<number>;
  /** Deletes a stopped device without a logout. Throws InvalidRequest for an active one. */
  forget(userId: number, id: number, by: Actor): Promise<void>;
  session(userId: number, id: number): Promise<SessionView>;
  limits(userId: number, id: number): Promise<LimitsView>;
  /** Captures for reports of bugs; the operator's. */
  readonly captures: DeviceCaptures;
  /** Linking behind a passkey. */
  readonly passkeys: DevicePasskeys;
  /** The text that the present QR encodes. Throws NotFound when there is none. */
  qrText(userId: number, id: number): Promise<string>;
  owned(userId: number, id: number): Promise<DeviceRecord>;
  downloadMedia(userId: number, id: number, messageId: string, chat?: string): Promise<DownloadedMedia>;
  /** For the operator: one page of the log. */
  reread(id: number, cursor: string | null): Promise<Reread>;
}

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

export const makeDevices = (parts: LiveParts): Devices => {
  const { stores, clock } = parts;
  const sessionOf = async (record: DeviceRecord): Promise<Session> => (await sessionsOf(parts, [record]))[0]!;
  const owned = (userId: number, id: number): Promise<DeviceRecord> => ownedDevice(stores.devices, userId, id);
  return {
    owned,
    captures: makeDeviceCaptures(parts),
    passkeys: makeDevicePasskeys(parts),
    create: (userId, wish, signal, by) => createDevice(parts, userId, wish, signal, by),
    async list(userId, page) {
      const { items, nextCursor } = await stores.devices.list(userId, page);
      const lives = await sessionsOf(parts, items);
      const views: Device[] = [];
      for (const [n, record] of items.entries()) {
        const view = viewOf(parts, record, lives[n]!);
        // A thousand promises take longer than what they wait for.
        views.push(view instanceof Promise ? await view : view);
      }
      return { items: views, nextCursor };
    },
    get: async (userId, id) => {
      const record = await owned(userId, id);
      return viewOf(parts, record, await sessionOf(record));
    },
    update: async (userId, id, patch, by) => {
      const record = await updateDevice(parts, userId, id, patch, by);
      return viewOf(parts, record, await sessionOf(record));
    },
    updateSettings: (userId, id, settings, by) => updateSettings(parts, userId, id, settings, by),
    restart: (userId, id, phoneNumber, signal, by) => restartDevice(parts, userId, id, phoneNumber, signal, by),
    disconnect: (userId, id, by) => disconnectDevice(parts, userId, id, by),
    delete: (userId, id, by) => deleteDevice(parts, userId, id, by),
    export: (userId, id, passphrase, by) => exportDevice(parts, userId, id, passphrase, by),
    import: (...given) => importDevice(parts, ...given),
    forget: (userId, id, by) => forgetDevice(parts, userId, id, by),
    async session(userId, id) {
      const record = await owned(userId, id);
      return sessionView(record, await asItEnded(stores.events, id, await sessionOf(record)), clock.now());
    },
    async limits(userId, id) {
      const record = await owned(userId, id);
      return limitsOf(parts, record, await sessionOf(record));
    },
    async qrText(userId, id) {
      const { state } = await sessionOf(await owned(userId, id));
      if (state.kind !== 'pairing') throw notFound('QR');
      return state.offer.qrText;
    },
    downloadMedia: (userId, id, messageId, chat) => downloadMedia(parts, userId, id, messageId, chat),
    reread: (id, cursor) => rereadMessages(parts, id, cursor),
  };
};
