/** The two messages of a session on the wire: a ciphertext of the ratchet, and one that sets the session up as well. */
import { FieldReader, FieldWriter } from './fields.ts';

/** Version 3, the lowest and the highest that is spoken. */
export const VERSION = 0x33;
export const MAC_BYTES = 8;

/** 33 bytes, the type byte first. */
export type PublicKey = Uint8Array;

/** Where things are in the bytes. */
export interface RatchetMessage {
  readonly bytes: Uint8Array;
  /** Of what the MAC is made over, which follows it. */
  readonly from: number;
  readonly macAt: number;
  readonly ratchetKeyAt: number;
  readonly counter: number;
  readonly ciphertextAt: number;
  readonly ciphertextEnd: number;
}

/** Where things are in the bytes. */
export interface SetupMessage {
  readonly bytes: Uint8Array;
  /** Null when the sender found no one-time prekey. */
  readonly preKeyId: number | null;
  readonly signedPreKeyId: number;
  readonly registrationId: number;
  readonly baseKeyAt: number;
  readonly identityAt: number;
  /** Of the ratchet's message. */
  readonly messageAt: number;
  readonly messageEnd: number;
}

/** What a message is written of that sets the session up. */
export interface Setup {
  readonly preKeyId: number | null;
  readonly signedPreKeyId: number;
  readonly registrationId: number;
  readonly baseKey: PublicKey;
  readonly identity: PublicKey;
  readonly message: Uint8Array;
}

const KEY_BYTES = 33;

const check = (bytes: Uint8Array, at: number): void => {
  if (bytes[at]! >> 4 !== VERSION >> 4) throw new Error('a message of another version');
};

/** A copy of the key that begins there. */
export const keyAt = (bytes: Uint8Array, at: number): PublicKey => bytes.slice(at, at + KEY_BYTES);

/** Whether it is the key that begins there. */
export const isKeyAt = (key: PublicKey, bytes: Uint8Array, at: number): boolean => {
  for (let byte = KEY_BYTES - 1; byte >= 0; byte -= 1) if (key[byte] !== bytes[at + byte]) return false;
  return true;
};

export const readMessage = (bytes: Uint8Array, from = 0, to = bytes.length): RatchetMessage => {
  check(bytes, from);
  const macAt = to - MAC_BYTES;
  const fields = new FieldReader(bytes, from + 1, macAt);
  let ratchetKeyAt = 0;
  let ciphertextAt = 0;
  let ciphertextEnd = 0;
  let counter = 0;
  while (fields.next()) {
    if (fields.number === 1 && fields.value === KEY_BYTES) ratchetKeyAt = fields.start;
    else if (fields.number === 2) counter = fields.value;
    else if (fields.number === 4) {
      ciphertextAt = fields.start;
      ciphertextEnd = fields.end;
    }
  }
  if (ratchetKeyAt === 0) throw new Error('a message without the key of its ratchet');
  return { bytes, from, macAt, ratchetKeyAt, counter, ciphertextAt, ciphertextEnd };
};

/** Without its MAC, which is to follow. */
export const writeMessage = (
  ratchetKey: PublicKey,
  counter: number,
  previousCounter: number,
  ciphertext: Uint8Array,
): FieldWriter =>
  new FieldWriter(ciphertext.length + 64)
    .byte(VERSION)
    .field(1, ratchetKey)
    .int(2, counter)
    .int(3, previousCounter)
    .field(4, ciphertext);

export const readSetup = (bytes: Uint8Array): SetupMessage => {
  check(bytes, 0);
  const fields = new FieldReader(bytes, 1);
  let preKeyId: number | null = null;
  let signedPreKeyId = 0;
  let registrationId = 0;
  let baseKeyAt = 0;
  let identityAt = 0;
  let messageAt = 0;
  let messageEnd = 0;
  while (fields.next()) {
    if (fields.number === 1) preKeyId = fields.value;
    else if (fields.number === 2 && fields.value === KEY_BYTES) baseKeyAt = fields.start;
    else if (fields.number === 3 && fields.value === KEY_BYTES) identityAt = fields.start;
    else if (fields.number === 4) {
      messageAt = fields.start;
      messageEnd = fields.end;
    } else if (fields.number === 5) registrationId = fields.value;
    else if (fields.number === 6) signedPreKeyId = fields.value;
  }
  if (baseKeyAt === 0 || identityAt === 0) throw new Error('a message that lacks keys of its session');
  return { bytes, preKeyId, signedPreKeyId, registrationId, baseKeyAt, identityAt, messageAt, messageEnd };
};

export const writeSetup = (setup: Setup): Uint8Array => {
  const out = new FieldWriter(setup.message.length + 96).byte(VERSION);
  if (setup.preKeyId !== null) out.int(1, setup.preKeyId);
  return out
    .field(2, setup.baseKey)
    .field(3, setup.identity)
    .field(4, setup.message)
    .int(5, setup.registrationId)
    .int(6, setup.signedPreKeyId)
    .done();
};
