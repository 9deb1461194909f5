/** AES-256-GCM envelopes and keyed look-up hashes. Envelope: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isWeak } from './secret.ts';
import { atMost } from '../../domain/at-most.ts';

const version = 1;
const nonceStart = 5;
const bodyStart = 17;
const tagLength = 16;
declare const content: unique symbol;

export type SealedJson<T> = Uint8Array & { readonly [content]?: T };

export interface Sealer {
  /** `context` names the row: an envelope copied to another row does not open. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  open(envelope: Uint8Array, context: string): Uint8Array;
  sealJson<T>(value: T, context: string): SealedJson<T>;
  openJson<T>(envelope: SealedJson<T>, context: string): T;
  /** Cached `openJson` for what every request or post reads. */
  openKept<T>(envelope: SealedJson<T>, context: string): T;
  /** A keyed hash (22 characters, 132 bits of HMAC-SHA256) that reveals nothing without the key. */
  lookup(scope: string, deviceId: number, text: string): string;
  /** False for an envelope of another secret. */
  made(envelope: Uint8Array): boolean;
  /** Key of the look-up hashes. It outlives the secret, since the hashed texts are not kept (docs/internals/threat-model.md). */
  readonly lookupKey: string;
  adoptLookupKey(key: string): void;
  readonly weak: boolean;
}

/** Not made by this secret, or changed since. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const maxKept = 10_000;
const maxHashes = 4_000;
/** Scopes of texts that every message of a chat looks up again. */
const repeated = new Set(['chat', 'order', 'session']);

const derive = (secret: string, info: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'handset', info, length));

const opener =
  (key: KeyObject, keyId: Buffer) =>
  (envelope: Uint8Array, context: string): Buffer => {
    const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
    if (bytes.length < bodyStart + tagLength || bytes[0] !== version) throw new SealBroken('Not a sealed value');
    if (!bytes.subarray(1, nonceStart).equals(keyId)) throw new SealBroken('Sealed with another secret');
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(nonceStart, bodyStart), {
      authTagLength: tagLength,
    });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(bytes.length - tagLength));
    const plain = decipher.update(bytes.subarray(bodyStart, bytes.length - tagLength));
    try {
      decipher.final();
    } catch (cause) {
      throw new SealBroken('A sealed value was changed', { cause });
    }
    return plain;
  };

export const makeSealer = (secret: string): Sealer => {
  // Key objects are four times as fast as raw bytes.
  const key = createSecretKey(derive(secret, 'seal', 32));
  let lookupKey = createSecretKey(derive(secret, 'lookup', 32));
  const keyId = derive(secret, 'key id', 4);
  const run = randomBytes(7);
  let count = 0;

  // Reused for every envelope, with the nonce at its end.
  const head = Buffer.alloc(bodyStart);
  head[0] = version;
  keyId.copy(head, 1);
  const nonce = head.subarray(nonceStart);
  // Unique within a run; between runs a birthday bound of 2^56. Random 12-byte nonces would exhaust the key after 2^32 envelopes.
  run.copy(nonce);
  const seal = (plain: Uint8Array | string, context: string): Uint8Array => {
    count += 1;
    if (count > 0xff_ffff_ffff) throw new Error('Out of nonces: restart the service');
    nonce.writeUIntBE(Math.floor(count / 0x1_0000_0000), 7, 1);
    nonce.writeUInt32BE(count % 0x1_0000_0000, 8);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(Buffer.from(context));
    const body = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
    cipher.final();
    const envelope = Buffer.allocUnsafe(bodyStart + body.length + tagLength);
    envelope.set(head);
    envelope.set(body, bodyStart);
    envelope.set(cipher.getAuthTag(), bodyStart + body.length);
    return envelope;
  };
  const open = opener(key, keyId);
  const hashOf = (name: string): string =>
    createHmac('sha256', lookupKey).update(name).digest('base64url').slice(0, 22);
  const hashes = new LRUCache<string, string>({ ...atMost(maxHashes), memoMethod: hashOf });
  const kept = new LRUCache<string, { readonly envelope: Uint8Array; readonly value: unknown }>(atMost(maxKept));
  const openJson = <T>(envelope: SealedJson<T>, context: string): T => JSON.parse(open(envelope, context).toString());
  return {
    seal,
    open,
    sealJson: (value, context) => seal(JSON.stringify(value), context),
    openJson,
    openKept: <T>(envelope: SealedJson<T>, context: string): T => {
      const before = kept.get(context);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what one envelope holds has one type
      if (before !== undefined && Buffer.compare(before.envelope, envelope) === 0) return before.value as T;
      const value = openJson(envelope, context);
      kept.set(context, { envelope, value });
      return value;
    },
    made: (envelope) => Buffer.from(envelope.buffer, envelope.byteOffset + 1, 4).equals(keyId),
    get lookupKey() {
      return lookupKey.export().toString('base64');
    },
    adoptLookupKey(given) {
      lookupKey = createSecretKey(Buffer.from(given, 'base64'));
      hashes.clear();
    },
    lookup: (scope, deviceId, text) => {
      const name = `${scope}/${deviceId}/${text}`;
      return repeated.has(scope) ? hashes.memo(name) : hashOf(name);
    },
    weak: isWeak(secret),
  };
};

/**
 * Every sealed column, except the markers in `meta`, with the context of its envelopes: a name, and the columns that tell its row from
 * others. A test compares them with the schema.
 */
export const contexts = {
  'devices.account': 'devices.account/id',
  'devices.proxy': 'devices.proxy/id',
  'devices.sealed_settings': 'devices.sealed_settings/id',
  'credentials.value': 'credentials/device_id',
  'signal_keys.value': 'signal_keys/device_id/type/id_hash',
  'inbox.plaintext': 'inbox/device_id/key',
  'messages.data': 'messages.data/device_id/chat_hash/id',
  'messages.content': 'messages.content/device_id/chat_hash/id',
  'kept_media.pieces': 'kept_media.pieces/message_n',
  'idempotency.answer': 'idempotency.answer/device_id/key_hash',
  'creations.answer': 'creations.answer/user_id/key_hash',
  'scheduled.data': 'scheduled/device_id/message_id',
  'scheduled_files.data': 'scheduled/device_id/message_id/piece',
  'statuses.data': 'statuses.data/device_id/status_id',
  'statuses.content': 'statuses.content/device_id/status_id',
  'statuses.audience': 'statuses.audience/device_id/status_id',
  'status_viewers.data': 'status_viewers/device_id/status_id/person_hash',
  'annotations.data': 'annotations/device_id/message_id/chat_hash/kind/person_hash',
  'app_state.data': 'app_state/device_id/kind/jid_hash',
  'groups.data': 'groups/device_id/jid_hash',
  'suppressions.data': 'suppressions/user_id/number_hash/lid_hash',
  'labels.data': 'labels/device_id/id',
  'chats.data': 'chats.data/device_id/jid_hash',
  'chats.name': 'chats.name/device_id/jid_hash',
  'contacts.data': 'contacts.data/device_id/jid_hash',
  'contacts.saved': 'contacts.saved/device_id/jid_hash',
  'contacts.push_name': 'contacts.push_name/device_id/jid_hash',
  'contacts.business_name': 'contacts.business_name/device_id/jid_hash',
  'contacts.about': 'contacts.about/device_id/jid_hash',
  'contacts.picture': 'contacts.picture/device_id/jid_hash',
  'events.data': 'events/device_id/seq',
  'deliveries.last_detail': 'deliveries/device_id/seq/webhook_id',
  'attempts.detail': 'attempts/device_id/seq/at/webhook_id',
  'webhooks.data': 'webhooks.data/id',
  'chat_turns.data': 'chat_turns/device_id/chat_hash',
  'leases.memo': 'leases.memo/device_id',
} as const;

type SealedColumn = keyof typeof contexts;
type Names<Path extends string> = Path extends `${infer Name}/${infer More}` ? Name | Names<More> : Path;
type NamesOf<C extends SealedColumn> = (typeof contexts)[C] extends `${string}/${infer Path}` ? Names<Path> : never;

const parts = new Map<string, readonly string[]>(
  Object.entries(contexts).map(([column, context]) => [column, context.split('/')]),
);

export const contextIn = (column: string, row: Readonly<Record<string, unknown>>): string => {
  const [name, ...columns] = parts.get(column)!;
  const values: unknown[] = [name];
  for (const each of columns) values.push(row[each]);
  return values.join('/');
};

/** As `contextIn`, of a column that the compiler knows. */
export const contextOf = <C extends SealedColumn>(
  column: C,
  row: Readonly<Record<NamesOf<C>, string | number | null>>,
): string => contextIn(column, row);
