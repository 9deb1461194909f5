/**
 * Patches of the application state as the network's apps write them: encrypted mutations, their MACs, and the hash over all that a collection holds.
 * The engine's own encoder takes one mutation a patch, and only of the kinds that it knows.
 */
import { createCipheriv, createHmac, randomBytes } from 'node:crypto';
import { type LTHashState, proto } from 'baileys';
import { expandAppStateKeys, LTHashAntiTampering } from 'whatsapp-rust-bridge';
import { bytesField, numberField } from './extra-fields.ts';

export interface Mutation {
  readonly index: readonly string[];
  /** A serialised `SyncActionValue`. */
  readonly value: Uint8Array;
  /** Version of this kind of action. */
  readonly version: number;
  readonly remove: boolean;
}

export interface AppStateKey {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
}

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;
const hash = new LTHashAntiTampering();
const macLength = 32;

const hmac = (kind: 'sha256' | 'sha512', key: Uint8Array, ...parts: readonly Uint8Array[]): Buffer => {
  const made = createHmac(kind, key);
  for (const part of parts) made.update(part);
  return made.digest();
};

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

const encrypted = (plain: Uint8Array, key: Uint8Array): Buffer => {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
};

/** The mutations as one patch, and the collection's state after it. */
export const encodePatch = (
  name: string,
  state: LTHashState,
  mutations: readonly Mutation[],
  { id, data }: AppStateKey,
): { readonly patch: Uint8Array; readonly state: LTHashState } => {
  const keys = expandAppStateKeys(data);
  const indexValueMap = { ...state.indexValueMap };
  const [added, removed]: [Uint8Array[], Uint8Array[]] = [[], []];
  const written = mutations.map(({ index, value, version, remove }) => {
    const plainIndex = Buffer.from(JSON.stringify(index));
    const fields = [
      bytesField(1, plainIndex),
      bytesField(2, value),
      bytesField(3, Buffer.alloc(0)),
      numberField(4, version),
    ];
    const operation = remove ? REMOVE : SET;
    const content = encrypted(Buffer.concat(fields), keys.valueEncryptionKey);
    const about = Buffer.concat([Buffer.from([operation === SET ? 1 : 2]), id]);
    const valueMac = hmac('sha512', keys.valueMacKey, about, content, uint64(about.length)).subarray(0, macLength);
    const indexMac = hmac('sha256', keys.indexKey, plainIndex);
    const before = indexValueMap[indexMac.toString('base64')];
    if (before !== undefined) removed.push(before.valueMac);
    if (remove) delete indexValueMap[indexMac.toString('base64')];
    else {
      added.push(valueMac);
      indexValueMap[indexMac.toString('base64')] = { valueMac };
    }
    const record = { index: { blob: indexMac }, value: { blob: Buffer.concat([content, valueMac]) }, keyId: { id } };
    return { valueMac, mutation: { operation, record } };
  });
  const version = state.version + 1;
  const after = Buffer.from(hash.subtractThenAdd(state.hash, removed, added));
  const end = [uint64(version), Buffer.from(name)];
  const snapshotMac = hmac('sha256', keys.snapshotMacKey, after, ...end);
  const patchMac = hmac('sha256', keys.patchMacKey, snapshotMac, ...written.map(({ valueMac }) => valueMac), ...end);
  const patch = { mutations: written.map(({ mutation }) => mutation), snapshotMac, patchMac, keyId: { id } };
  return {
    patch: proto.SyncdPatch.encode(patch).finish(),
    state: { version, hash: after, indexValueMap },
  };
};
