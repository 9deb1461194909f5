/** The two messages of a session on the wire: a ciphertext of the ratchet, and one that sets the session up as well. */
import { FieldReader, FieldWriter } from './fields.ts';

/** Version 3, the lowest and the highest that is spoken. */
export const VERSION = 0x33;
export const MAC_BYTES = 8;

/** 33 bytes, the type byte first. */
export type PublicKey = Uint8Array;

export interface RatchetMessage {
  readonly ratchetKey: PublicKey;
  readonly counter: number;
  readonly ciphertext: Uint8Array;
  /** What the MAC is made over, and the MAC. */
  readonly signed: Uint8Array;
  readonly mac: Uint8Array;
}

export interface SetupMessage {
  /** Null when the sender found no one-time prekey. */
  readonly preKeyId: number | null;
  readonly signedPreKeyId: number;
  readonly registrationId: number;
  readonly baseKey: PublicKey;
  readonly identity: PublicKey;
  /** The ratchet's message. */
  readonly message: Uint8Array;
}

const none: Uint8Array = new Uint8Array(0);

const check = (bytes: Uint8Array): void => {
  if (bytes[0]! >> 4 !== VERSION >> 4) throw new Error('a message of another version');
};

/** Views of the bytes given. */
export const readMessage = (bytes: Uint8Array): RatchetMessage => {
  check(bytes);
  const end = bytes.length - MAC_BYTES;
  const fields = new FieldReader(bytes, 1, end);
  let ratchetKey = none;
  let ciphertext = none;
  let counter = 0;
  while (fields.next()) {
    if (fields.number === 1) ratchetKey = fields.bytes();
    else if (fields.number === 2) counter = fields.value;
    else if (fields.number === 4) ciphertext = fields.bytes();
  }
  if (ratchetKey.length !== 33) throw new Error('a message without the key of its ratchet');
  return { ratchetKey, counter, ciphertext, signed: bytes.subarray(0, end), mac: bytes.subarray(end) };
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
  check(bytes);
  const fields = new FieldReader(bytes, 1);
  let preKeyId: number | null = null;
  let signedPreKeyId = 0;
  let registrationId = 0;
  let [baseKey, identity, message] = [none, none, none];
  while (fields.next()) {
    if (fields.number === 1) preKeyId = fields.value;
    else if (fields.number === 2) baseKey = fields.bytes();
    else if (fields.number === 3) identity = fields.bytes();
    else if (fields.number === 4) message = fields.bytes();
    else if (fields.number === 5) registrationId = fields.value;
    else if (fields.number === 6) signedPreKeyId = fields.value;
  }
  if (baseKey.length !== 33 || identity.length !== 33) throw new Error('a message that lacks keys of its session');
  return { preKeyId, signedPreKeyId, registrationId, baseKey, identity, message };
};

export const writeSetup = (setup: SetupMessage): Uint8Array => {
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
