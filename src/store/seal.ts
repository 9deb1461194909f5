/**
 * Secrets at rest: AES-256-GCM envelopes and keyed look-up hashes.
 * Envelope: version (1 byte), key id (4), nonce (12), ciphertext, tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const version = 1;
const nonceStart = 5;
const bodyStart = 17;
const tagLength = 16;
/** Of SHA-256, and of what it makes. */
const blockLength = 64;
const digestLength = 32;
/** Look-ups remembered. */
const maxLookups = 2_000;
/** Of these every text is another one. */
const onceOnly: ReadonlySet<string> = new Set(['dedupe', 'idempotency']);

declare const content: unique symbol;

/** An envelope with JSON of a known type inside. */
export type SealedJson<T> = Uint8Array & { readonly [content]?: T };

export interface Seal {
  /** `context` names the row: an envelope copied to another row does not open. */
  seal(plain: Uint8Array, context: string): Uint8Array;
  open(envelope: Uint8Array, context: string): Uint8Array;
  sealJson<T>(value: T, context: string): SealedJson<T>;
  openJson<T>(envelope: SealedJson<T>, context: string): T;
  /** The same text of the same device always gives the same 22 characters, and they tell nothing without the secret. */
  lookup(scope: string, deviceId: number, text: string): string;
  /** True for an envelope of this secret, false for one of another. */
  made(envelope: Uint8Array): boolean;
  /** What the look-ups are keyed with. It outlives the secret: what was hashed cannot be hashed anew. */
  readonly lookupKey: string;
  adoptLookupKey(key: string): void;
}

/** An envelope that this secret did not make, or that was changed. */
export class SealBroken extends Error {
  override readonly name = 'SealBroken';
}

const derive = (secret: string, info: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, 'handset', info, length));

/**
 * Nonces are 7 random bytes of this run and a count: no repeats within a run, and a birthday among 2^56 between runs, where
 * 12 random bytes each would wear the key out after 2^32 envelopes.
 */
const makeNonces = (): ((target: Buffer) => void) => {
  const run = randomBytes(7);
  let count = 0;
  return (target) => {
    run.copy(target, nonceStart);
    target.writeUIntBE(Math.floor(count / 0x1_0000_0000), nonceStart + 7, 1);
    target.writeUInt32BE(count % 0x1_0000_0000, nonceStart + 8);
    count += 1;
    if (count > 0xff_ffff_ffff) throw new Error('Out of nonces: restart the service');
  };
};

const openEnvelope = (key: KeyObject, keyId: Buffer, envelope: Uint8Array, context: string): Buffer => {
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

/** What HMAC (RFC 2104) puts before both of its hashes. */
const paddedWith = (key: Buffer, byte: number): Buffer => {
  const padded = Buffer.alloc(blockLength, byte);
  for (const [place, part] of key.entries()) padded[place] = part ^ byte;
  return padded;
};

/** Texts that are hashed in the same memory; longer ones get some of their own. */
const shortText = 1_024;

/** HMAC with SHA-256 of two hashes in one go each: half the time of an object of Node's. For keys of up to 64 bytes. */
const keyedHash = (key: Buffer): ((text: string) => string) => {
  const inner = Buffer.concat([paddedWith(key, 0x36)], blockLength + 3 * shortText);
  const outer = Buffer.concat([paddedWith(key, 0x5c)], blockLength + digestLength);
  const innerHash = (text: string): string => {
    if (text.length > shortText) {
      return hash('sha256', Buffer.concat([inner.subarray(0, blockLength), Buffer.from(text)]), 'binary');
    }
    return hash('sha256', inner.subarray(0, blockLength + inner.write(text, blockLength)), 'binary');
  };
  return (text) => {
    outer.write(innerHash(text), blockLength, 'binary');
    return hash('sha256', outer, 'base64url');
  };
};

export const makeSeal = (secret: string): Seal => {
  // Key objects: four times as fast as raw bytes.
  const key = createSecretKey(derive(secret, 'seal', 32));
  let lookupKey = derive(secret, 'lookup', 32);
  let lookupHash = keyedHash(lookupKey);
  const keyId = derive(secret, 'key id', 4);
  const nextNonce = makeNonces();
  const lookups = new Map<string, string>();

  const seal = (plain: Uint8Array, context: string): Uint8Array => {
    const head = Buffer.allocUnsafe(bodyStart);
    head[0] = version;
    keyId.copy(head, 1);
    nextNonce(head);
    const cipher = createCipheriv('aes-256-gcm', key, head.subarray(nonceStart), { authTagLength: tagLength });
    cipher.setAAD(Buffer.from(context));
    const body = cipher.update(plain);
    cipher.final();
    return Buffer.concat([head, body, cipher.getAuthTag()]);
  };
  const open = (envelope: Uint8Array, context: string): Buffer => openEnvelope(key, keyId, envelope, context);
  return {
    seal,
    open,
    sealJson: (value, context) => seal(Buffer.from(JSON.stringify(value)), context),
    openJson: (envelope, context) => JSON.parse(open(envelope, context).toString()),
    made: (envelope) => Buffer.from(envelope.buffer, envelope.byteOffset + 1, 4).equals(keyId),
    get lookupKey() {
      return lookupKey.toString('base64');
    },
    adoptLookupKey(given) {
      lookups.clear();
      lookupKey = Buffer.from(given, 'base64');
      lookupHash = keyedHash(lookupKey);
    },
    lookup(scope, deviceId, text) {
      const name = `${scope}/${deviceId}/${text}`;
      const known = lookups.get(name);
      if (known !== undefined) return known;
      const hashed = lookupHash(name).slice(0, 22);
      // The same chats and sessions come again and again; which ones is forgotten all at once.
      if (onceOnly.has(scope)) return hashed;
      if (lookups.size >= maxLookups) lookups.clear();
      lookups.set(name, hashed);
      return hashed;
    },
  };
};
