/**
 * App state patches: encrypted mutations, their MACs, and the hash over the collection. The engine's encoder takes one mutation
 * per patch, and only kinds it knows.
 */
import { aesEncrypt, type LTHashState, proto } from 'baileys';
import {
  expandAppStateKeys,
  generateContentMac,
  generateIndexMac,
  generatePatchMac,
  generateSnapshotMac,
  LTHashAntiTampering,
} from 'whatsapp-rust-bridge';

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  for (; value > 0x7f; value = Math.floor(value / 128)) bytes.push((value % 128) | 0x80);
  bytes.push(value);
  return bytes;
};

const bytesField = (number: number, value: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(value.length)]), value]);

const numberField = (number: number, value: number): Buffer => Buffer.from([...varint(number * 8), ...varint(value)]);

/** `HistorySync.nctSalt` (whatsmeow proto/waHistorySync, August 2026). */
export const historyNctSalt = (salt: Uint8Array): Buffer => bytesField(19, salt);
/** `SyncActionValue.nctSaltSyncAction.salt` (whatsmeow proto/waSyncAction, August 2026). */
export const actionNctSalt = (salt: Uint8Array): Buffer => bytesField(80, bytesField(1, salt));

export interface Mutation {
  readonly index: readonly string[];
  readonly value: Uint8Array;
  readonly version: number;
  readonly remove: boolean;
}

export interface AppStateKey {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
}

const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation;
const MAC_BYTE = { [SET]: 1, [REMOVE]: 2 };
const hashing = new LTHashAntiTampering();

/** Encodes the mutations as one patch; also returns the collection's new state. */
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
    const fields = [bytesField(1, plainIndex), bytesField(2, value), bytesField(3, Buffer.alloc(0))];
    const operation = remove ? REMOVE : SET;
    const content = aesEncrypt(Buffer.concat([...fields, numberField(4, version)]), keys.valueEncryptionKey);
    const valueMac = generateContentMac(MAC_BYTE[operation], content, id, keys.valueMacKey);
    const indexMac = generateIndexMac(plainIndex, keys.indexKey);
    const place = Buffer.from(indexMac).toString('base64');
    const before = indexValueMap[place];
    if (before !== undefined) removed.push(before.valueMac);
    if (remove) delete indexValueMap[place];
    else {
      added.push(valueMac);
      indexValueMap[place] = { valueMac };
    }
    const record = { index: { blob: indexMac }, value: { blob: Buffer.concat([content, valueMac]) }, keyId: { id } };
    return { valueMac, mutation: { operation, record } };
  });
  const version = state.version + 1;
  const after = Buffer.from(hashing.subtractThenAdd(state.hash, removed, added));
  const snapshotMac = generateSnapshotMac(after, BigInt(version), name, keys.snapshotMacKey);
  const valueMacs = written.map(({ valueMac }) => valueMac);
  const patchMac = generatePatchMac(snapshotMac, valueMacs, BigInt(version), name, keys.patchMacKey);
  const patch = { mutations: written.map(({ mutation }) => mutation), snapshotMac, patchMac, keyId: { id } };
  return {
    patch: proto.SyncdPatch.encode(patch).finish(),
    state: { version, hash: after, indexValueMap },
  };
};

export const stateJson = ({ version, hash, indexValueMap }: LTHashState): string =>
  JSON.stringify({
    version,
    hash: hash.toString('base64'),
    macs: Object.entries(indexValueMap).map(([index, { valueMac }]) => [
      index,
      Buffer.from(valueMac).toString('base64'),
    ]),
  });

export const stateOf = (json: string): LTHashState => {
  const { version, hash, macs }: { version: number; hash: string; macs: [string, string][] } = JSON.parse(json);
  const indexValueMap = Object.fromEntries(
    macs.map(([index, mac]) => [index, { valueMac: Buffer.from(mac, 'base64') }]),
  );
  return { version, hash: Buffer.from(hash, 'base64'), indexValueMap };
};
