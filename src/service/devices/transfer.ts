/** Moves a device between installations with its settings, link and keys, without a new pairing (docs/operations.md). */
import type { Actor } from '../../domain/audit.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { openPackage, sealPackage } from './transfer-package.ts';

interface PackedKey {
  readonly type: string;
  readonly id: string;
  /** Base64. */
  readonly value: string;
}

/** Messages and events stay where they are. */
interface PackedDevice {
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly settings: Partial<Omit<DeviceSettings, 'proxy'>>;
  readonly account: Account;
  /** Base64. */
  readonly credentials: string;
  readonly keys: readonly PackedKey[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const isKey = (key: unknown): key is PackedKey =>
  typeof key === 'object' &&
  key !== null &&
  ['type', 'id', 'value'].every((name) => typeof Reflect.get(key, name) === 'string');

/** An installation sealed it, so it is well-formed; a newer one may pack something else. */
const isDevice = (value: unknown): value is PackedDevice =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'credentials' in value &&
  typeof value.credentials === 'string' &&
  'account' in value &&
  typeof value.account === 'object' &&
  value.account !== null &&
  'keys' in value &&
  Array.isArray(value.keys) &&
  value.keys.every(isKey) &&
  'webhookUrl' in value &&
  (value.webhookUrl === null || typeof value.webhookUrl === 'string') &&
  'settings' in value &&
  typeof value.settings === 'object' &&
  value.settings !== null &&
  'webhookEvents' in value &&
  Array.isArray(value.webhookEvents) &&
  value.webhookEvents.every((kind) => eventKinds.includes(kind));

const unpack = async (sealed: string, passphrase: string): Promise<PackedDevice> => {
  const value: unknown = JSON.parse(await openPackage(sealed, passphrase));
  if (!isDevice(value)) throw invalidRequest('export is of a version that this installation does not know');
  return value;
};

const importDevice = async (
  parts: LiveParts,
  userId: number,
  sealed: string,
  passphrase: string,
  by: Actor,
  proxy: string | null = null,
): Promise<number> => {
  const { stores, clock, runtimes, outbound } = parts;
  const { name, webhookUrl, webhookEvents, settings, account, credentials, keys } = await unpack(sealed, passphrase);
  if (webhookUrl !== null) await outbound.check(webhookUrl, 'webhookUrl');
  const made = { userId, name, webhookUrl, webhookEvents, proxy: proxy === null ? null : outbound.checkProxy(proxy) };
  const { id } = await stores.devices.create(made, clock.now(), by);
  await parts.scopes.of({ id, userId }, by).operate(async (runtime) => {
    try {
      const state = {
        credentials: Buffer.from(credentials, 'base64'),
        keys: keys.map((key) => ({ type: key.type, id: key.id, value: Buffer.from(key.value, 'base64') })),
        account,
      };
      await stores.changes.commit(id, state, runtime.epoch);
      if (settings.online === true) await stores.devices.update(id, { settings: { online: true } });
      // Only if media can be kept here.
      if (settings.media === 'kept' && parts.keeper.isAble) {
        await stores.devices.update(id, { settings: { media: 'kept' } });
      }
      await stores.audit.append(by, 'device.imported', { userId, deviceId: id });
    } catch (error) {
      await stores.devices.delete(id, by);
      throw error;
    } finally {
      // It was made for a device without a link.
      await runtimes.remove(runtime);
    }
  });
  const record = await stores.devices.find(id);
  if (record !== null) runtimes.of(record);
  return id;
};

export const makeTransfers = (parts: LiveParts) => ({
  /**
   * Stops the device, as two installations with one session would replace each other; it can be forgotten once it runs there. Throws
   * InvalidRequest for a device that is not linked.
   */
  export: (scope: DeviceScope, passphrase: string): Promise<string> =>
    scope.operate(async (runtime, record) => {
      const { devices, credentials, audit } = parts.stores;
      const { id, userId, actor } = scope;
      if (record.account === null) throw invalidRequest('The device is not linked; there is nothing to move');
      await devices.update(id, { subscriptionStatus: 'inactive' }, actor);
      runtime.handle({ kind: 'deactivate' }, true);
      await Promise.all([runtime.connection.end(), runtime.writes.settled]);
      const state = await credentials.loadCredentials(id);
      if (state === null) throw invalidRequest('The device is not linked; there is nothing to move');
      const keys = await credentials.listKeys(id);
      // A proxy belongs to the installation.
      const { proxy: _, ...settings } = record.settings;
      const packed: PackedDevice = {
        name: record.name,
        webhookUrl: record.webhookUrl,
        webhookEvents: record.webhookEvents,
        settings,
        account: record.account,
        credentials: base64(state),
        keys: keys.map(({ type, id: name, value }) => ({ type, id: name, value: base64(value) })),
      };
      const sealed = await sealPackage(JSON.stringify(packed), passphrase);
      await audit.append(actor, 'device.exported', { userId, deviceId: id });
      return sealed;
    }),
  /** The new device's id; it connects at once. Throws InvalidRequest and DeviceLimitReached. */
  import: (userId: number, sealed: string, passphrase: string, by: Actor, proxy?: string | null): Promise<number> =>
    importDevice(parts, userId, sealed, passphrase, by, proxy),
  /** Deletes without a logout: the link lives on in the other installation. Throws InvalidRequest for an active device. */
  forget: (scope: DeviceScope): Promise<void> =>
    scope.operate(async (runtime, record) => {
      const { id, userId, actor } = scope;
      if (record.subscriptionStatus === 'active') {
        throw invalidRequest('The device is active; only a device that was exported, and so stopped, can be forgotten');
      }
      await parts.runtimes.remove(runtime);
      await parts.stores.audit.append(actor, 'device.forgotten', { userId, deviceId: id });
      await parts.stores.devices.delete(id, actor);
      parts.ownership?.forget(id);
    }),
});
