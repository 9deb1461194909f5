/** Sessions in two forms: libsignal-node's (`session_record.js`, read 2026-11-26), as in other programs, and the bridge's (`storage.proto`). */
import { hkdfSync } from 'node:crypto';
import { isCheapJson } from '../../domain/json.ts';
import { BufferJSON } from '../library/protocol.ts';
import { lengthDelimited, maxArchived, recordOf, statesOf, varintField, fieldsOf } from '../signal/session-record.ts';

export interface LocalEnd {
  /** 33 bytes. */
  readonly identity: Uint8Array;
  readonly registrationId: number;
}

// Fields of storage.proto.
const state = {
  version: 1,
  localIdentity: 2,
  remoteIdentity: 3,
  rootKey: 4,
  previousCounter: 5,
  senderChain: 6,
  receiverChain: 7,
  pendingPreKey: 9,
  remoteRegistrationId: 10,
  localRegistrationId: 11,
  baseKey: 13,
} as const;
const chain = { ratchetKey: 1, ratchetPrivateKey: 2, chainKey: 3, messageKey: 4 } as const;
const messageKeys = { index: 1, cipherKey: 2, macKey: 3, iv: 4 } as const;
const pendingPreKey = { preKeyId: 1, baseKey: 2, signedPreKeyId: 3 } as const;
const sessionVersion = 3;
const sending = 1;
const receiving = 2;
const ours = 1;
const theirs = 2;
const isOpen = -1;
/** Derives a skipped message's keys from its seed (Double Ratchet, section 5.2; libsignal "WhisperMessageKeys"). */
const skippedKey = (index: number, seed: Uint8Array): Uint8Array => {
  const derived = Buffer.from(hkdfSync('sha256', seed, new Uint8Array(32), 'WhisperMessageKeys', 80));
  return Buffer.concat([
    varintField(messageKeys.index, index),
    lengthDelimited(messageKeys.cipherKey, derived.subarray(0, 32)),
    lengthDelimited(messageKeys.macKey, derived.subarray(32, 64)),
    lengthDelimited(messageKeys.iv, derived.subarray(64)),
  ]);
};

/** Skipped message keys that a sender key may have, as in both forms. */
export const maxMessageKeys = 2_000;
/** And a session with all of its states: each is derived, in 25 µs. */
const maxSkipped = 500;

/** In a session with many skipped keys. */
const maxValues = 60_000;

/** The JSON of a file. Throws SyntaxError, and TypeError for one that is too dear. */
export const parsed = (text: Uint8Array | string): unknown => {
  const bytes = Buffer.from(text);
  if (!isCheapJson(bytes, maxValues)) throw new TypeError('too many values');
  return JSON.parse(bytes.toString('utf8'), BufferJSON.reviver);
};

/** `{1: index or iteration, 2: key or seed}`: chain keys, and all sender keys. */
export const counted = { index: 1, key: 2 } as const;
type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

export const objectIn = (value: Json, name: string): Json => {
  const found = value[name];
  if (!isObject(found)) throw new TypeError(`${name} is missing`);
  return found;
};

export const integerIn = (value: Json, name: string): number => {
  const found = value[name];
  if (typeof found !== 'number' || !Number.isSafeInteger(found) || found < -1 || found > 0xffff_ffff)
    throw new TypeError(`${name} is no number`);
  return found;
};

/** Base64, bytes, or a Buffer as JSON: files have all three. */
export const bytesIn = (value: Json, name: string, ...lengths: readonly number[]): Uint8Array => {
  const found = value[name];
  const data = isObject(found) && found.type === 'Buffer' ? found.data : found;
  const bytes =
    typeof data === 'string' ? Buffer.from(data, 'base64') : Array.isArray(data) ? Uint8Array.from(data) : data;
  if (!(bytes instanceof Uint8Array) || !lengths.includes(bytes.length)) throw new TypeError(`${name} is no key`);
  return bytes;
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const countedOf = (index: number, key: Uint8Array): Uint8Array =>
  Buffer.concat([varintField(counted.index, index), lengthDelimited(counted.key, key)]);

export interface Fields {
  readonly bytes: (number: number) => Uint8Array;
  readonly number: (number: number) => number;
  readonly all: (number: number) => readonly Fields[];
  readonly has: (number: number) => boolean;
}

const asBytes = (value: number | Uint8Array | undefined): Uint8Array =>
  value instanceof Uint8Array ? value : new Uint8Array();

export const read = (message: Uint8Array): Fields => {
  const fields = [...fieldsOf(message)];
  const last = (number: number) => fields.findLast((field) => field.number === number)?.value;
  return {
    bytes: (number) => asBytes(last(number)),
    number: (number) => Number(last(number) ?? 0),
    all: (number) => fields.filter((field) => field.number === number).map(({ value }) => read(asBytes(value))),
    has: (number) => last(number) !== undefined,
  };
};

/** libsignal-node counts the last key, storage.proto the next. A closed chain has no key. */
const chainKeyOf = (value: Json): Uint8Array => {
  const chainKey = objectIn(value, 'chainKey');
  const key = chainKey.key === undefined || chainKey.key === null ? new Uint8Array(32) : bytesIn(chainKey, 'key', 32);
  return lengthDelimited(chain.chainKey, countedOf(integerIn(chainKey, 'counter') + 1, key));
};

/** Skipped keys that a session may still have, each of which is derived. */
interface Room {
  left: number;
}

const receiverChainOf = (ratchetKey: Uint8Array, value: Json, room: Room): Uint8Array => {
  const skipped = objectIn(value, 'messageKeys');
  const indexes = Object.keys(skipped);
  const kept = indexes.slice(Math.max(0, indexes.length - room.left));
  room.left -= kept.length;
  return Buffer.concat([
    lengthDelimited(chain.ratchetKey, ratchetKey),
    chainKeyOf(value),
    ...kept.map((index) => lengthDelimited(chain.messageKey, skippedKey(Number(index), bytesIn(skipped, index, 32)))),
  ]);
};

const pendingOf = (value: Json): Uint8Array =>
  Buffer.concat([
    ...(value.preKeyId === undefined || value.preKeyId === null
      ? []
      : [varintField(pendingPreKey.preKeyId, integerIn(value, 'preKeyId'))]),
    lengthDelimited(pendingPreKey.baseKey, bytesIn(value, 'baseKey', 33)),
    varintField(pendingPreKey.signedPreKeyId, integerIn(value, 'signedKeyId')),
  ]);

const stateOf = (entry: Json, local: LocalEnd, registrationId: number, room: Room): Uint8Array => {
  const [ratchet, index] = [objectIn(entry, 'currentRatchet'), objectIn(entry, 'indexInfo')];
  const ephemeral = objectIn(ratchet, 'ephemeralKeyPair');
  const ratchetKey = bytesIn(ephemeral, 'pubKey', 33);
  const chains = Object.entries(objectIn(entry, '_chains')).map(([key, value]) => {
    if (!isObject(value)) throw new TypeError('a chain is missing');
    return { key: Buffer.from(key, 'base64'), value };
  });
  const sender = chains.find(({ key, value }) => value.chainType === sending && key.equals(ratchetKey));
  const receivers = chains.filter(({ value }) => value.chainType === receiving);
  return Buffer.concat([
    varintField(state.version, sessionVersion),
    lengthDelimited(state.localIdentity, local.identity),
    lengthDelimited(state.remoteIdentity, bytesIn(index, 'remoteIdentityKey', 33)),
    lengthDelimited(state.rootKey, bytesIn(ratchet, 'rootKey', 32)),
    varintField(state.previousCounter, Math.max(0, integerIn(ratchet, 'previousCounter'))),
    ...(sender === undefined
      ? []
      : [
          lengthDelimited(
            state.senderChain,
            Buffer.concat([
              lengthDelimited(chain.ratchetKey, ratchetKey),
              lengthDelimited(chain.ratchetPrivateKey, bytesIn(ephemeral, 'privKey', 32)),
              chainKeyOf(sender.value),
            ]),
          ),
        ]),
    ...receivers.map(({ key, value }) => lengthDelimited(state.receiverChain, receiverChainOf(key, value, room))),
    ...(isObject(entry.pendingPreKey) ? [lengthDelimited(state.pendingPreKey, pendingOf(entry.pendingPreKey))] : []),
    varintField(state.remoteRegistrationId, registrationId),
    varintField(state.localRegistrationId, local.registrationId),
    lengthDelimited(state.baseKey, bytesIn(index, 'baseKey', 33)),
  ]);
};

const used = (entry: Json): number => Number(objectIn(entry, 'indexInfo').used ?? 0);

/** To the bridge's form; null: no open state. Throws TypeError. */
export const sessionFromLibsignal = (value: unknown, local: LocalEnd): Uint8Array | null => {
  if (!isObject(value)) throw new TypeError('a session is no object');
  const entries = Object.values(objectIn(value, '_sessions')).filter(isObject);
  const open = entries.find((entry) => objectIn(entry, 'indexInfo').closed === isOpen);
  if (open === undefined) return null;
  const former = entries.filter((entry) => entry !== open).toSorted((a, b) => used(b) - used(a));
  const room = { left: maxSkipped };
  return recordOf(
    [open, ...former.slice(0, maxArchived)].map((entry) =>
      stateOf(entry, local, Number(entry.registrationId ?? value.registrationId ?? 0), room),
    ),
  );
};

const libsignalChain = (value: Fields, chainType: number): object => {
  const [key] = value.all(chain.chainKey);
  return {
    chainKey: {
      counter: (key?.number(counted.index) ?? 0) - 1,
      key: base64(key?.bytes(counted.key) ?? new Uint8Array()),
    },
    chainType,
    // The bridge keeps only keys derived from their seeds, which libsignal-node cannot use.
    messageKeys: {},
  };
};

const libsignalState = (bytes: Uint8Array, isCurrent: boolean, now: number): readonly [string, object] => {
  const fields = read(bytes);
  const [[sender], receivers] = [fields.all(state.senderChain), fields.all(state.receiverChain)];
  const [pending] = fields.all(state.pendingPreKey);
  const ratchetKey = base64(sender?.bytes(chain.ratchetKey) ?? new Uint8Array());
  const chains = receivers.map(
    (each) => [base64(each.bytes(chain.ratchetKey)), libsignalChain(each, receiving)] as const,
  );
  const baseKey = base64(fields.bytes(state.baseKey));
  const entry = {
    registrationId: fields.number(state.remoteRegistrationId),
    currentRatchet: {
      ephemeralKeyPair: {
        pubKey: ratchetKey,
        privKey: base64(sender?.bytes(chain.ratchetPrivateKey) ?? new Uint8Array()),
      },
      lastRemoteEphemeralKey: chains.at(-1)?.[0] ?? '',
      previousCounter: fields.number(state.previousCounter),
      rootKey: base64(fields.bytes(state.rootKey)),
    },
    indexInfo: {
      baseKey,
      baseKeyType: pending === undefined ? theirs : ours,
      closed: isCurrent ? isOpen : now,
      used: now,
      created: now,
      remoteIdentityKey: base64(fields.bytes(state.remoteIdentity)),
    },
    _chains: {
      ...Object.fromEntries(chains),
      ...(sender !== undefined && { [ratchetKey]: libsignalChain(sender, sending) }),
    },
    ...(pending !== undefined && {
      pendingPreKey: {
        ...(pending.has(pendingPreKey.preKeyId) && { preKeyId: pending.number(pendingPreKey.preKeyId) }),
        signedKeyId: pending.number(pendingPreKey.signedPreKeyId),
        baseKey: base64(pending.bytes(pendingPreKey.baseKey)),
      },
    }),
  };
  return [baseKey, entry];
};

/** To libsignal-node's form, without skipped message keys. */
export const sessionToLibsignal = (record: Uint8Array, now: number): object => ({
  _sessions: Object.fromEntries(statesOf(record).map((each, n) => libsignalState(each, n === 0, now - n))),
  version: 'v1',
});
