/** Opens app state records and computes the hash of a collection. A wrong MAC is an error (whatsmeow appstate/, 2026-08). */
import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expandAppStateKeys, LTHashAntiTampering } from '../../library/bridge.ts';
import { proto } from '../../library/proto.ts';
import { fieldMapOf } from '../../signal/session-record.ts';
import { timeOrNull } from '../../translate/parts/limits.ts';
import { type CollectionState, macBytes, nameOfIndex, partOf } from './collection-state.ts';

export interface Mutation {
  readonly index: readonly string[];
  readonly value: Uint8Array;
  readonly removed: boolean;
}

/** When the action was taken, in ms; null without a time that a calendar has. */
export const takenAt = ({ timestamp }: proto.ISyncActionValue): number | null =>
  timeOrNull(Number(timestamp ?? 0) / 1_000);

export type AppStateKeys = ReadonlyMap<string, Uint8Array>;

export class MissingKeys extends Error {
  readonly ids: readonly string[];
  constructor(ids: readonly string[]) {
    super(`${ids.length} keys of the application state are missing`);
    this.ids = ids;
  }
}

/** More than any account has; larger collections are not stored. */
export const maxRecords = 50_000;
const recordsAtOnce = 200;
const { REMOVE } = proto.SyncdMutation.SyncdOperation;

const hash = new LTHashAntiTampering();
type Expanded = ReturnType<typeof expandAppStateKeys>;

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

const isSame = (a: Uint8Array, b: Uint8Array | null | undefined): boolean =>
  b !== null && b !== undefined && a.length === b.length && timingSafeEqual(a, b);

export const indexMacOf = (keyData: Uint8Array, index: readonly string[]): Uint8Array =>
  hmac('sha256', expandAppStateKeys(keyData).indexKey, Buffer.from(JSON.stringify(index)));

export const idOf = (key: proto.IKeyId | null | undefined): string => Buffer.from(key?.id ?? []).toString('base64');

const decrypted = (bytes: Uint8Array, key: Uint8Array): Buffer => {
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((part) => typeof part === 'string');

const read = (plain: Uint8Array): { readonly index: Uint8Array; readonly value: Uint8Array } => {
  const fields = fieldMapOf(plain);
  const [index, value] = [fields.get(1), fields.get(2)];
  if (!(index instanceof Uint8Array)) throw new Error('A record has no index');
  return { index, value: value instanceof Uint8Array ? value : new Uint8Array() };
};

const open = (record: proto.ISyncdRecord, removed: boolean, keys: Expanded): Mutation => {
  const blob = record.value?.blob ?? new Uint8Array();
  const [content, mac] = [blob.subarray(0, -macBytes), blob.subarray(-macBytes)];
  const about = Buffer.concat([Buffer.from([removed ? 2 : 1]), record.keyId?.id ?? new Uint8Array()]);
  const expected = hmac('sha512', keys.valueMacKey, about, content, uint64(about.length)).subarray(0, macBytes);
  if (!isSame(expected, mac)) throw new Error('A record has the wrong MAC');
  const { index, value } = read(decrypted(content, keys.valueEncryptionKey));
  if (!isSame(hmac('sha256', keys.indexKey, index), record.index?.blob)) throw new Error('An index has the wrong MAC');
  const texts: unknown = JSON.parse(Buffer.from(index).toString());
  if (!isTexts(texts)) throw new Error('An index is not a list of strings');
  return { index: texts, value, removed };
};

export class Opener {
  readonly #expanded = new Map<string, Expanded>();
  readonly #keys: AppStateKeys;
  readonly #parts: ReadonlyMap<number, Map<string, Uint8Array>>;
  #hash: Uint8Array;
  #size: number;

  /** `from`: with the parts of all records that it takes. */
  constructor(keys: AppStateKeys, from: CollectionState) {
    this.#keys = keys;
    this.#hash = from.hash;
    this.#size = from.size;
    this.#parts = new Map([...from.parts].map(([n, part]) => [n, new Map(part)]));
  }

  get state(): Omit<CollectionState, 'version'> {
    return { hash: this.#hash, size: this.#size, parts: this.#parts };
  }

  /** `lenient`: skips what cannot be opened. Throws MissingKeys, or an Error for malformed records. */
  async take(mutations: readonly proto.ISyncdMutation[], lenient = false): Promise<readonly Mutation[]> {
    if (mutations.length > maxRecords) throw new Error(`More than ${maxRecords} records`);
    this.#assertKeys(mutations.map(({ record }) => idOf(record?.keyId)));
    const opened: Mutation[] = [];
    const [added, dropped]: [Uint8Array[], Uint8Array[]] = [[], []];
    const hashed = (): void => {
      this.#hash = hash.subtractThenAdd(this.#hash, dropped.splice(0), added.splice(0));
    };
    for (const [at, { record, operation }] of mutations.entries()) {
      if (at % recordsAtOnce === recordsAtOnce - 1) {
        hashed();
        await setImmediate();
      }
      const removed = operation === REMOVE;
      try {
        opened.push(open(record ?? {}, removed, this.#expand(idOf(record?.keyId))));
      } catch (error) {
        if (!lenient) throw error;
        continue;
      }
      this.#count(record!, removed, added, dropped);
    }
    if (this.#size > maxRecords) throw new Error(`More than ${maxRecords} records`);
    hashed();
    return opened;
  }

  #count({ index, value }: proto.ISyncdRecord, removed: boolean, added: Uint8Array[], dropped: Uint8Array[]): void {
    const name = nameOfIndex(index!.blob!);
    const part = this.#parts.get(partOf(index!.blob!))!;
    this.#size -= part.size;
    const before = part.get(name);
    if (before !== undefined) dropped.push(before);
    if (removed) part.delete(name);
    else {
      const valueMac = Buffer.from(value!.blob!.subarray(-macBytes));
      added.push(valueMac);
      part.set(name, valueMac);
    }
    this.#size += part.size;
  }

  isWhole(name: string, version: number, mac: Uint8Array | null | undefined, keyId: string): boolean {
    const { snapshotMacKey } = this.#expand(keyId);
    return isSame(hmac('sha256', snapshotMacKey, this.#hash, uint64(version), Buffer.from(name)), mac);
  }

  isWritten(name: string, version: number, patch: proto.ISyncdPatch): boolean {
    const { patchMacKey } = this.#expand(idOf(patch.keyId));
    const macs = (patch.mutations ?? []).map(({ record }) =>
      (record?.value?.blob ?? new Uint8Array()).subarray(-macBytes),
    );
    const parts = [patch.snapshotMac ?? new Uint8Array(), ...macs, uint64(version), Buffer.from(name)];
    return isSame(hmac('sha256', patchMacKey, ...parts), patch.patchMac);
  }

  #assertKeys(ids: readonly string[]): void {
    const missing = [...new Set(ids)].filter((id) => !this.#keys.has(id));
    if (missing.length > 0) throw new MissingKeys(missing);
  }

  #expand(id: string): Expanded {
    this.#assertKeys([id]);
    let expanded = this.#expanded.get(id);
    if (expanded === undefined) this.#expanded.set(id, (expanded = expandAppStateKeys(this.#keys.get(id)!)));
    return expanded;
  }
}
