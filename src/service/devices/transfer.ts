/** Moves a device with its settings, link and keys to another installation, without a new pairing (docs/operations.md). */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Actor } from '../../domain/audit.ts';
import { handedOverNote } from '../../domain/changes.ts';
import type { DeviceRecord, DeviceSettings } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import type { Creation } from '../../domain/messages/idempotency.ts';
import type { AdoptedSession } from '../../domain/network.ts';
import type { Account } from '../../domain/sessions/state.ts';
import type { MovedLink } from '../../domain/stores.ts';
import { invalidRequest } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { type DeviceRequest, register } from './pairing.ts';

interface PackedKey {
  readonly type: string;
  readonly id: string;
  readonly value: string;
}

interface PackedDevice {
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly settings: Partial<Omit<DeviceSettings, 'proxy'>>;
  readonly account: Account;
  readonly credentials: string;
  readonly keys: readonly PackedKey[];
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const isKey = (key: unknown): key is PackedKey =>
  typeof key === 'object' &&
  key !== null &&
  ['type', 'id', 'value'].every((name) => typeof Reflect.get(key, name) === 'string');

/** Sealed by an installation, so it is well-formed; a newer version may pack something else. */
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

const magic = 'handset-device-1';
const saltLength = 16;
const nonceLength = 12;
const tagLength = 16;
/** Limit of an unpacked package; an old device has a few megabytes of keys. */
const maxBytes = 64 * 1024 * 1024;

const compress = promisify(gzip);
const expand = promisify(gunzip);

const keyOf = (passphrase: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // 64 MB and a good part of a second per guess.
    const cost = { N: 2 ** 16, r: 8, p: 1, maxmem: 128 * 1024 * 1024 };
    scrypt(passphrase.normalize('NFKC'), salt, 32, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });

/** `handset-device-1.` and base64url of salt, nonce, ciphertext and tag. */
export const sealPackage = async (content: string, passphrase: string): Promise<string> => {
  const salt = randomBytes(saltLength);
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, salt), nonce);
  cipher.setAAD(Buffer.from(magic));
  const body = Buffer.concat([cipher.update(await compress(content)), cipher.final()]);
  return `${magic}.${Buffer.concat([salt, nonce, body, cipher.getAuthTag()]).toString('base64url')}`;
};

/** Throws InvalidRequest if this passphrase did not seal it. */
export const openPackage = async (text: string, passphrase: string): Promise<string> => {
  const [head, data = ''] = text.trim().split('.');
  const bytes = Buffer.from(data, 'base64url');
  const start = saltLength + nonceLength;
  if (head !== magic || bytes.length < start + tagLength) throw invalidRequest('export is no package of a device');
  const key = await keyOf(passphrase, bytes.subarray(0, saltLength));
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(saltLength, start), {
    authTagLength: tagLength,
  });
  decipher.setAAD(Buffer.from(magic));
  decipher.setAuthTag(bytes.subarray(bytes.length - tagLength));
  let plain: Buffer;
  try {
    plain = Buffer.concat([decipher.update(bytes.subarray(start, bytes.length - tagLength)), decipher.final()]);
  } catch {
    throw invalidRequest('passphrase is not the one that the package was sealed with, or the package is damaged');
  }
  return (await expand(plain, { maxOutputLength: maxBytes })).toString('utf8');
};

const unpack = async (sealed: string, passphrase: string): Promise<PackedDevice> => {
  const value: unknown = JSON.parse(await openPackage(sealed, passphrase));
  if (!isDevice(value)) throw invalidRequest('export is of a version that this installation does not know');
  return value;
};

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
  const { settings, account, credentials, keys, ...device } = await unpack(sealed, passphrase);
  const link: MovedLink = {
    credentials: Buffer.from(credentials, 'base64'),
    keys: keys.map((key) => ({ type: key.type, id: key.id, value: Buffer.from(key.value, 'base64') })),
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
      const packed: PackedDevice = {
        name: record.name,
        webhookUrl: record.webhookUrl,
        webhookEvents: record.webhookEvents,
        settings,
        account,
        credentials: base64(state),
        keys: keys.map(({ type, id: name, value }) => ({ type, id: name, value: base64(value) })),
      };
      const sealed = await sealPackage(JSON.stringify(packed), passphrase);
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
