/** The stored state of a collection: its version and hash, and the MACs of its records in parts, so that a change writes the parts of its records alone. */
import type { KeyChange } from '../../../domain/changes.ts';
import type { AuthenticationCreds } from '../../library/types.ts';
import { factsOf } from '../../identity/account.ts';
import { decodeKey } from '../../signal/key-store.ts';
import type { SessionStore } from '../../state/session-store.ts';

export const macBytes = 32;
/** Of 10,000 records, a part has 20 kB. */
const partCount = 32;

/** By the MAC of a record's index in base64: the MAC of its value. */
type Part = ReadonlyMap<string, Uint8Array>;

export interface CollectionState {
  readonly version: number;
  readonly hash: Uint8Array;
  /** Records. */
  readonly size: number;
  /** Those that have been read. */
  readonly parts: ReadonlyMap<number, Part>;
}

interface StateParts {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
}

const type = 'app-state';
/** One row with all MACs, as 0.3.0 wrote it. If there is one, that version has run since. */
const wholeType = 'app-state-sync-version';

export const nameOfIndex = (mac: Uint8Array): string => Buffer.from(mac).toString('base64');

export const partOf = (indexMac: Uint8Array): number => (indexMac[0] ?? 0) % partCount;

const allParts = (records: Iterable<readonly [string, Uint8Array]>): CollectionState['parts'] => {
  const parts = new Map(Array.from({ length: partCount }, (_, n) => [n, new Map<string, Uint8Array>()]));
  for (const [name, mac] of records) parts.get(partOf(Buffer.from(name, 'base64')))!.set(name, mac);
  return parts;
};

export const emptyState = (): CollectionState => ({
  version: 0,
  hash: Buffer.alloc(128),
  size: 0,
  parts: allParts([]),
});

const encodeHead = ({ version, size, hash }: CollectionState): Uint8Array => {
  const numbers = Buffer.alloc(12);
  numbers.writeUIntBE(version, 0, 6);
  numbers.writeUIntBE(size, 6, 6);
  return Buffer.concat([numbers, hash]);
};

const decodeHead = (bytes: Uint8Array): Omit<CollectionState, 'parts'> => {
  const head = Buffer.from(bytes);
  return { version: head.readUIntBE(0, 6), size: head.readUIntBE(6, 6), hash: head.subarray(12) };
};

const encodePart = (part: Part): Uint8Array =>
  Buffer.concat([...part].flatMap(([name, mac]) => [Buffer.from(name, 'base64'), mac]));

const decodePart = (bytes: Uint8Array): Part => {
  const part = new Map<string, Uint8Array>();
  for (let at = 0; at < bytes.length; at += 2 * macBytes) {
    const [index, value] = [bytes.subarray(at, at + macBytes), bytes.subarray(at + macBytes, at + 2 * macBytes)];
    part.set(nameOfIndex(index), value);
  }
  return part;
};

export const readState = async (
  { store, deviceId, creds }: StateParts,
  name: string,
): Promise<CollectionState | null> => {
  // Until every collection was read from its start and stored, no stored version counts.
  const { appStateKept, labelsKept } = factsOf(creds);
  if (appStateKept !== true || (name === 'regular' && labelsKept !== true)) return null;
  const wanted = [wholeType, type].map((each) => ({ type: each, id: name }));
  const [whole = null, head = null] = await store.readTogether(deviceId, wanted);
  if (whole === null) return head === null ? null : { ...decodeHead(head), parts: new Map() };
  const { version, hash, indexValueMap } = decodeKey(wholeType, whole);
  const records = Object.entries(indexValueMap);
  return {
    version,
    hash,
    size: records.length,
    parts: allParts(records.map(([index, { valueMac }]) => [index, valueMac])),
  };
};

/** With the parts of these records. */
export const withPartsOf = async (
  { store, deviceId }: StateParts,
  name: string,
  state: CollectionState,
  indexMacs: readonly Uint8Array[],
): Promise<CollectionState> => {
  const missing = [...new Set(indexMacs.map(partOf))].filter((n) => !state.parts.has(n));
  if (missing.length === 0) return state;
  const ids = missing.map((n) => `${name}/${n}`);
  const found = await store.readKeys(deviceId, type, ids);
  const read = missing.map((n, at) => [n, decodePart(found.get(ids[at]!) ?? new Uint8Array())] as const);
  return { ...state, parts: new Map([...state.parts, ...read]) };
};

export const keysOfState = (name: string, state: CollectionState): KeyChange[] => [
  { type: wholeType, id: name, value: null },
  { type, id: name, value: encodeHead(state) },
  ...[...state.parts].map(([n, part]) => {
    return { type, id: `${name}/${n}`, value: part.size === 0 ? null : encodePart(part) };
  }),
];
