/** Sender keys: what a member of a group writes is encrypted once, for all who were given the key. */
import { randomBytes, randomInt } from 'node:crypto';
import { calculateSignature, generateKeyPair, verifySignature } from 'whatsapp-rust-bridge';
import { openCbc, sealCbc } from './aes.ts';
import { FieldReader, FieldWriter } from './fields.ts';
import { VERSION } from './message.ts';
import { HASH_BYTES, Hmac, makeHkdf } from './sha256.ts';

export interface SenderKeyState {
  readonly id: number;
  /** Of the signing key; the private half is there in one's own key alone. */
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array | null;
  readonly chainKey: Uint8Array;
  /** The number of the message that comes next. */
  next: number;
  /** Seeds of messages that have not come yet, by their number. */
  readonly skipped: Map<number, Uint8Array>;
}

const SIGNATURE_BYTES = 64;
const MOST_STATES = 5;
const MOST_AHEAD = 25_000;
const MOST_SKIPPED = 2_000;

const none: Uint8Array = new Uint8Array(0);
const info = Uint8Array.from(Buffer.from('WhisperGroup'));
const one = Uint8Array.of(1);
const two = Uint8Array.of(2);
const expand = makeHkdf(new Uint8Array(HASH_BYTES));
const hmac = new Hmac();

const advance = (chainKey: Uint8Array): Uint8Array => {
  const seed = new Uint8Array(HASH_BYTES);
  hmac.setKey(chainKey);
  hmac.write(seed, one);
  hmac.write(chainKey, two);
  return seed;
};

const keysOf = (seed: Uint8Array): { readonly iv: Uint8Array; readonly key: Uint8Array } => {
  const derived = new Uint8Array(48);
  expand(derived, seed, info);
  return { iv: derived.subarray(0, 16), key: derived.subarray(16) };
};

interface GroupMessage {
  readonly id: number;
  readonly number: number;
  readonly ciphertext: Uint8Array;
}

export const readGroupMessage = (bytes: Uint8Array): GroupMessage => {
  const message = { id: 0, number: 0, ciphertext: bytes };
  for (const fields = new FieldReader(bytes, 1, bytes.length - SIGNATURE_BYTES); fields.next();) {
    if (fields.number === 1) message.id = fields.value;
    else if (fields.number === 2) message.number = fields.value;
    else if (fields.number === 3) message.ciphertext = fields.bytes();
  }
  return message;
};

/** Moves the state only when the message could be read. */
const open = (state: SenderKeyState, { number, ciphertext }: GroupMessage): Buffer => {
  if (number < state.next) {
    const seed = state.skipped.get(number);
    if (seed === undefined) throw new Error('a message that was read before');
    const { key, iv } = keysOf(seed);
    const plaintext = openCbc(key, iv, ciphertext);
    state.skipped.delete(number);
    return plaintext;
  }
  if (number - state.next > MOST_AHEAD) throw new Error('a message too far ahead');
  const chainKey = Uint8Array.from(state.chainKey);
  const between: [number, Uint8Array][] = [];
  for (let at = state.next; at < number; at += 1) between.push([at, advance(chainKey)]);
  const { key, iv } = keysOf(advance(chainKey));
  const plaintext = openCbc(key, iv, ciphertext);
  state.chainKey.set(chainKey);
  state.next = number + 1;
  for (const [at, seed] of between) {
    state.skipped.set(at, seed);
    if (state.skipped.size > MOST_SKIPPED) state.skipped.delete(state.skipped.keys().next().value!);
  }
  return plaintext;
};

/** What one member of a group writes by; the newest key first. */
export class SenderKey {
  #states: readonly SenderKeyState[];

  constructor(states: readonly SenderKeyState[] = []) {
    this.#states = states;
  }

  get states(): readonly SenderKeyState[] {
    return this.#states;
  }

  /** The own key, made where there is none, as it is given to others. */
  distribution(): Uint8Array {
    if (this.#states.length === 0) {
      const { pubKey, privKey } = generateKeyPair();
      this.#put({
        id: randomInt(2 ** 31),
        publicKey: pubKey,
        privateKey: privKey,
        chainKey: Uint8Array.from(randomBytes(HASH_BYTES)),
        next: 0,
        skipped: new Map(),
      });
    }
    const { id, next, chainKey, publicKey } = this.#states[0]!;
    return new FieldWriter(96).byte(VERSION).int(1, id).int(2, next).field(3, chainKey).field(4, publicKey).done();
  }

  /** Takes the key that another one has given. */
  accept(distribution: Uint8Array): void {
    let [id, next] = [0, 0];
    let [chainKey, publicKey] = [none, none];
    for (const fields = new FieldReader(distribution, 1); fields.next();) {
      if (fields.number === 1) id = fields.value;
      else if (fields.number === 2) next = fields.value;
      else if (fields.number === 3) chainKey = fields.copy();
      else if (fields.number === 4) publicKey = fields.copy();
    }
    if (chainKey.length !== HASH_BYTES || publicKey.length === 0) throw new Error('a sender key that is none');
    const known = this.#states.find((state) => state.id === id && Buffer.compare(state.publicKey, publicKey) === 0);
    this.#put(known ?? { id, publicKey, privateKey: null, chainKey, next, skipped: new Map() });
  }

  encrypt(plaintext: Uint8Array): Uint8Array {
    const state = this.#states[0];
    if (!state?.privateKey) throw new Error('there is no sender key of our own');
    const { key, iv } = keysOf(advance(state.chainKey));
    const ciphertext = sealCbc(key, iv, plaintext);
    const out = new FieldWriter(ciphertext.length + 96).byte(VERSION).int(1, state.id).int(2, state.next);
    state.next += 1;
    const signature = calculateSignature(state.privateKey, out.field(3, ciphertext).done());
    return out.raw(signature).done();
  }

  /** Throws, with everything as it was, where none of the keys reads it. */
  decrypt(body: Uint8Array): Buffer {
    if (body.length <= SIGNATURE_BYTES || body[0]! >> 4 !== VERSION >> 4) throw new Error('no message of a group');
    const message = readGroupMessage(body);
    const state = this.#states.find(({ id }) => id === message.id);
    if (state === undefined) throw new Error('there is no such sender key');
    const [signed, signature] = [body.subarray(0, -SIGNATURE_BYTES), body.subarray(-SIGNATURE_BYTES)];
    if (!verifySignature(state.publicKey, signed, signature)) throw new Error('a message with a wrong signature');
    return open(state, message);
  }

  #put(state: SenderKeyState): void {
    this.#states = [state, ...this.#states.filter(({ id }) => id !== state.id)].slice(0, MOST_STATES);
  }
}

// A state: 1 = id, 2 = chain (1 = number, 2 = key), 3 = signing key (1 = public, 2 = private), 4 = seeds (1 = number, 2 = seed).
const numbered = (number: number, bytes: Uint8Array): Uint8Array =>
  new FieldWriter(48).int(1, number).field(2, bytes).done();

const readNumbered = (bytes: Uint8Array): readonly [number, Uint8Array] => {
  let number = 0;
  let content = none;
  for (const fields = new FieldReader(bytes); fields.next();) {
    if (fields.number === 1) number = fields.value;
    else if (fields.number === 2) content = fields.copy();
  }
  return [number, content];
};

/** In the form in which Signal's own implementations keep them. */
export const writeSenderKey = ({ states }: SenderKey): Uint8Array => {
  const record = new FieldWriter(256);
  for (const { id, publicKey, privateKey, chainKey, next, skipped } of states) {
    const signing = new FieldWriter(96).field(1, publicKey);
    if (privateKey !== null) signing.field(2, privateKey);
    const out = new FieldWriter(256).int(1, id).field(2, numbered(next, chainKey)).field(3, signing.done());
    for (const [number, seed] of skipped) out.field(4, numbered(number, seed));
    record.field(1, out.done());
  }
  return record.done();
};

const readState = (bytes: Uint8Array): SenderKeyState => {
  let id = 0;
  let [next, chainKey]: readonly [number, Uint8Array] = [0, none];
  const keys: (Uint8Array | null)[] = [null, null];
  const skipped = new Map<number, Uint8Array>();
  for (const fields = new FieldReader(bytes); fields.next();) {
    if (fields.number === 1) id = fields.value;
    else if (fields.number === 2) [next, chainKey] = readNumbered(fields.bytes());
    else if (fields.number === 3) {
      for (const key = new FieldReader(fields.bytes()); key.next();) keys[key.number - 1] = key.copy();
    } else if (fields.number === 4) skipped.set(...readNumbered(fields.bytes()));
  }
  const [publicKey, privateKey] = keys;
  return { id, publicKey: publicKey ?? none, privateKey: privateKey ?? null, chainKey, next, skipped };
};

export const readSenderKey = (bytes: Uint8Array): SenderKey => {
  const states: SenderKeyState[] = [];
  for (const fields = new FieldReader(bytes); fields.next();)
    if (fields.number === 1) states.push(readState(fields.bytes()));
  return new SenderKey(states);
};
