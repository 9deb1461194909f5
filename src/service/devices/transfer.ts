/** Moves a device with its settings, link and keys to another installation, without a new pairing (docs/operations.md). */
import type { Actor } from '../../domain/audit.ts';
import { handedOverNote } from '../../domain/changes.ts';
import type { DeviceRecord } from '../../domain/device.ts';
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { AdoptedSession } from '../../domain/network.ts';
import type { MovedLink } from '../../domain/stores.ts';
import { invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { packDevice, unpackDevice } from './package.ts';
import { type DeviceRequest, register } from './pairing.ts';

interface Adopted {
  readonly id: number;
  readonly counts: AdoptedSession['counts'];
}

interface Making {
  readonly by: Actor;
  readonly once?: Creation | undefined;
}

/** Device and link are one step: a device without its link would wait for a pairing. */
const install = async (
  parts: LiveParts,
  userId: number,
  request: Omit<DeviceRequest, 'phoneNumber'>,
  link: MovedLink,
  { by, once }: Making,
): Promise<number> => {
  const record = await register(parts, userId, { ...request, link }, by, once);
  if (parts.ownership === null) parts.runtimes.of(record);
  // It has moved in: if no node takes it now, one does later.
  else await parts.ownership.locate(record.id).catch(() => null);
  return record.id;
};

const importDevice = async (
  parts: LiveParts,
  userId: number,
  sealed: string,
  passphrase: string,
  by: Actor,
  proxy: string | null = null,
): Promise<number> => {
  const { settings, account, credentials, keys, ...device } = await unpackDevice(sealed, passphrase);
  const link: MovedLink = {
    credentials,
    keys,
    account,
    settings: {
      ...(settings.online === true && { online: true }),
      // Only if media can be kept here.
      ...(settings.media === 'kept' && parts.mediaFetcher.isAble && { media: 'kept' }),
    },
    action: 'device.imported',
  };
  return install(parts, userId, { ...device, proxy }, link, { by });
};

const stopAndRead = async (parts: LiveParts, scope: DeviceScope, runtime: DeviceRuntime, record: DeviceRecord) => {
  const { devices, credentials, changes } = parts.stores;
  const { id, actor } = scope;
  const { account } = record;
  if (account === null) throw invalidRequest('The device is not linked; there is nothing to move');
  await devices.update(id, { subscriptionStatus: 'inactive' }, actor);
  runtime.handle({ kind: 'deactivate' }, true);
  await Promise.all([runtime.connection.end(), runtime.writes.settled]);
  const state = await credentials.loadCredentials(id);
  if (state === null) throw invalidRequest('The device is not linked; there is nothing to move');
  await changes.commit(id, { keys: [{ ...handedOverNote, value: Uint8Array.of(1) }] }, runtime.epoch);
  const keys = await credentials.listKeys(id);
  return { account, state, keys: keys.filter(({ type }) => type !== handedOverNote.type) };
};

export const makeTransfers = (parts: LiveParts) => ({
  /** Stops the device, as two installations with one session would replace each other. Throws InvalidRequest if it is not linked. */
  export: (scope: DeviceScope, passphrase: string): Promise<string> =>
    scope.operate(async (runtime, record) => {
      const { account, state, keys } = await stopAndRead(parts, scope, runtime, record);
      const { id, userId, actor } = scope;
      // A proxy belongs to the installation.
      const { proxy: _, ...settings } = record.settings;
      const { name, webhookUrl, webhookEvents } = record;
      const device = { name, webhookUrl, webhookEvents, settings, account, credentials: state };
      const sealed = await packDevice(device, keys, passphrase);
      await parts.stores.audit.append(actor, 'device.exported', { userId, deviceId: id });
      return sealed;
    }),
  /** Stops the device and returns the files of Baileys' multi-file state. Throws InvalidRequest if it is not linked. */
  release: (scope: DeviceScope): Promise<Readonly<Record<string, string>>> =>
    scope.operate(async (runtime, record) => {
      const { state, keys } = await stopAndRead(parts, scope, runtime, record);
      const files = await parts.network.releaseSession(state, keys);
      const { id, userId, actor } = scope;
      await parts.stores.audit.append(actor, 'device.released', { userId, deviceId: id });
      return files;
    }),
  /** Creates a device from another program's link. `made`: the one of an earlier request with the key. Throws InvalidRequest, DeviceLimitReached. */
  async adopt(
    userId: number,
    { files, ...device }: Omit<DeviceRequest, 'phoneNumber'> & { readonly files: Readonly<Record<string, string>> },
    by: Actor,
    { once, made }: { readonly once?: Creation | undefined; readonly made?: number | undefined } = {},
  ): Promise<Adopted> {
    const { counts, ...session } = await parts.network.adoptSession(files);
    const link = { ...session, settings: {}, action: 'device.adopted' } as const;
    return { id: made ?? (await install(parts, userId, device, link, { by, once })), counts };
  },
  /** Returns the new device's id and connects it. Throws InvalidRequest and DeviceLimitReached. */
  import: (userId: number, sealed: string, passphrase: string, by: Actor, proxy?: string | null): Promise<number> =>
    importDevice(parts, userId, sealed, passphrase, by, proxy),
  /** Deletes without a logout: the link is used by the other installation. Throws InvalidRequest for an active device. */
  forget: (scope: DeviceScope): Promise<void> =>
    scope.operate(async (runtime, record) => {
      const { id, userId, actor } = scope;
      if (record.subscriptionStatus === 'active') {
        throw invalidRequest('The device is active; only a device that was exported, which stops it, can be forgotten');
      }
      await parts.runtimes.remove(runtime);
      await parts.stores.audit.append(actor, 'device.forgotten', { userId, deviceId: id });
      await parts.stores.devices.delete(id, actor);
      parts.ownership?.forget(id);
    }),
});
