/** The package of a device that moves to another installation, sealed with a passphrase (docs/operations.md). */
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { DeviceSettings } from '../../domain/device.ts';
import { eventKinds, type EventKind } from '../../domain/event.ts';
import { isCheapJson } from '../../domain/json.ts';
import type { Account } from '../../domain/sessions/state.ts';
import { inTurns, nextTurn } from '../../domain/turns.ts';
import { type HandsetError, invalidRequest } from '../../errors.ts';

interface PackedKey {
  readonly type: string;
  readonly id: string;
  readonly value: string;
}

/** Without its keys. */
interface PackedDevice<Bytes> {
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly webhookEvents: readonly EventKind[];
  readonly settings: Partial<Omit<DeviceSettings, 'proxy'>>;
  readonly account: Account;
  readonly credentials: Bytes;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const isKey = (key: unknown): key is PackedKey =>
  typeof key === 'object' &&
  key !== null &&
  ['type', 'id', 'value'].every((name) => typeof Reflect.get(key, name) === 'string');

/** Sealed by an installation, so it is well-formed; a newer version may pack something else. */
const isDevice = (value: unknown): value is PackedDevice<string> =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'credentials' in value &&
  typeof value.credentials === 'string' &&
  'account' in value &&
  typeof value.account === 'object' &&
  value.account !== null &&
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

/** Of a key; the longest is the state of a collection with 50,000 records, as 0.3.0 kept it. */
const maxKeyBytes = 16 * 1024 * 1024;
const maxKeys = 100_000;

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
export const openPackage = async (text: string, passphrase: string): Promise<Buffer> => {
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
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(start, bytes.length - tagLength)), decipher.final()]);
    return await expand(plain, { maxOutputLength: maxBytes });
  } catch {
    throw invalidRequest('passphrase is not the one that the package was sealed with, or the package is damaged');
  }
};

interface Key {
  readonly type: string;
  readonly id: string;
  readonly value: Uint8Array;
}

/** One JSON object, the keys at its end. */
export const packDevice = async (
  device: PackedDevice<Uint8Array>,
  keys: readonly Key[],
  passphrase: string,
): Promise<string> => {
  const head = JSON.stringify({ ...device, credentials: base64(device.credentials) });
  const packed = await inTurns(keys, ({ type, id, value }) => JSON.stringify({ type, id, value: base64(value) }));
  return sealPackage(`${head.slice(0, -1)}${beforeKeys}${packed.join(',')}]}`, passphrase);
};

// In a text, the quotes would be escaped.
const beforeKeys = ',"keys":[';
const betweenKeys = '"},{"';

const unknownVersion = (): HandsetError =>
  invalidRequest('export is of a version that this installation does not know');

const parsed = (bytes: Buffer): unknown => {
  if (bytes.length > maxKeyBytes || !isCheapJson(bytes)) throw unknownVersion();
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw unknownVersion();
  }
};

/** Key by key, with turns for others: packages may be large. */
const keysIn = async (list: Buffer): Promise<Key[]> => {
  const keys: Key[] = [];
  for (let [at, end] = [0, 0]; end < list.length; at = end + 1) {
    const others = nextTurn();
    if (others !== null) await others;
    const next = list.indexOf(betweenKeys, at);
    end = next === -1 ? list.length : next + 2;
    const key = parsed(list.subarray(at, end));
    if (!isKey(key) || keys.length === maxKeys) throw unknownVersion();
    keys.push({ type: key.type, id: key.id, value: Buffer.from(key.value, 'base64') });
  }
  return keys;
};

export const unpackDevice = async (
  sealed: string,
  passphrase: string,
): Promise<PackedDevice<Uint8Array> & { readonly keys: readonly Key[] }> => {
  const bytes = await openPackage(sealed, passphrase);
  const start = bytes.indexOf(beforeKeys);
  if (start === -1 || bytes.subarray(-2).toString() !== ']}') throw unknownVersion();
  const device = parsed(Buffer.concat([bytes.subarray(0, start), Buffer.from('}')]));
  if (!isDevice(device)) throw unknownVersion();
  const keys = await keysIn(bytes.subarray(start + beforeKeys.length, -2));
  return { ...device, credentials: Buffer.from(device.credentials, 'base64'), keys };
};
