/** The Double Ratchet of one session, as Signal defines it: a state moves only with a message that it could read. */
import { calculateAgreement, generateKeyPair } from 'whatsapp-rust-bridge';
import type { KeyPair } from 'whatsapp-rust-bridge';
import { openCbcAt, sealCbc } from './aes.ts';
import { isKeyAt, keyAt, MAC_BYTES, type PublicKey, type RatchetMessage, writeMessage } from './message.ts';
import { HASH_BYTES, hkdf, Hmac, makeHkdf } from './sha256.ts';

/** Keys are numbered; `next` is the number of the one that comes next. */
interface Chain {
  readonly key: Uint8Array;
  next: number;
}

export interface SendingChain extends Chain {
  readonly ratchet: KeyPair;
}

export interface ReceivingChain extends Chain {
  readonly ratchetKey: PublicKey;
  /** Keys of messages that have not come yet, by their number: cipher key, MAC key and IV, 80 bytes. */
  skipped: Map<number, Uint8Array> | null;
}

/** What has to go along until the peer has answered. */
export interface Pending {
  readonly preKeyId: number | null;
  readonly signedPreKeyId: number;
  readonly baseKey: PublicKey;
}

export interface SessionState {
  readonly localIdentity: PublicKey;
  readonly remoteIdentity: PublicKey;
  readonly localRegistrationId: number;
  readonly remoteRegistrationId: number;
  /** Of whoever set the session up. */
  readonly baseKey: PublicKey;
  rootKey: Uint8Array;
  previousCounter: number;
  sending: SendingChain;
  /** The newest last. */
  readonly receiving: ReceivingChain[];
  pending: Pending | null;
}

export const KEY_BYTES = 32;
/** Cipher key, MAC key, IV. */
const MESSAGE_KEY_BYTES = 80;
const MAC_KEY_AT = 32;
const IV_AT = 64;
const MOST_CHAINS = 5;
/** Of messages that are skipped at a time, and of keys that are kept for them. */
const MOST_AHEAD = 25_000;
const MOST_SKIPPED = 2_000;

const text = (value: string): Uint8Array => Uint8Array.from(Buffer.from(value));
const messageInfo = text('WhisperMessageKeys');
const ratchetInfo = text('WhisperRatchet');
const one = Uint8Array.of(1);
const two = Uint8Array.of(2);

const expandMessageKey = makeHkdf(new Uint8Array(HASH_BYTES));
const chainHmac = new Hmac();
const macHmac = new Hmac();
const seed = new Uint8Array(HASH_BYTES);

/** Writes the keys of the chain's next message, and moves the chain's key on. */
const advance = (chainKey: Uint8Array, messageKey: Uint8Array): void => {
  chainHmac.setKey(chainKey);
  chainHmac.write(seed, one);
  chainHmac.write(chainKey, two);
  expandMessageKey(messageKey, seed, messageInfo);
};

/** A new chain, and the root key after it. */
export const newChain = (
  rootKey: Uint8Array,
  theirs: PublicKey,
  ours: Uint8Array,
): { readonly rootKey: Uint8Array; readonly key: Uint8Array } => {
  const secrets = new Uint8Array(2 * KEY_BYTES);
  hkdf(secrets, rootKey, calculateAgreement(theirs, ours), ratchetInfo);
  return { rootKey: secrets.slice(0, KEY_BYTES), key: secrets.slice(KEY_BYTES) };
};

const chainOf = ({ receiving }: SessionState, { bytes, ratchetKeyAt }: RatchetMessage): ReceivingChain | null => {
  for (let at = receiving.length - 1; at >= 0; at -= 1)
    if (isKeyAt(receiving[at]!.ratchetKey, bytes, ratchetKeyAt)) return receiving[at]!;
  return null;
};

/** Whether the state knows the key of the message's ratchet. */
export const hasChain = (state: SessionState, message: RatchetMessage): boolean => chainOf(state, message) !== null;

/** A new key of the peer's: their chain under it, and a new one of ours. */
const step = (state: SessionState, { bytes, ratchetKeyAt }: RatchetMessage) => {
  const ratchetKey = keyAt(bytes, ratchetKeyAt);
  const received = newChain(state.rootKey, ratchetKey, state.sending.ratchet.privKey);
  const chain: ReceivingChain = { ratchetKey, key: received.key, next: 0, skipped: null };
  const commit = (): void => {
    const ratchet = generateKeyPair();
    const sent = newChain(received.rootKey, ratchetKey, ratchet.privKey);
    state.rootKey = sent.rootKey;
    state.previousCounter = Math.max(state.sending.next, 1) - 1;
    state.sending = { ratchet, key: sent.key, next: 0 };
    state.receiving.push(chain);
    if (state.receiving.length > MOST_CHAINS) state.receiving.shift();
  };
  return { chain, commit };
};

/** Writes the MAC of these bytes under the message key. */
const writeMac = (
  out: Uint8Array,
  key: Uint8Array,
  sender: PublicKey,
  receiver: PublicKey,
  bytes: Uint8Array,
  from: number,
  to: number,
): void => {
  macHmac.setKey(key, MAC_KEY_AT, IV_AT).begin();
  macHmac.add(sender, 0, sender.length);
  macHmac.add(receiver, 0, receiver.length);
  macHmac.add(bytes, from, to);
  macHmac.end(out, MAC_BYTES);
};

const foundMac = new Uint8Array(MAC_BYTES);

const open = (state: SessionState, message: RatchetMessage, key: Uint8Array): Buffer => {
  const { remoteIdentity, localIdentity } = state;
  const { bytes, from, macAt, ciphertextAt, ciphertextEnd } = message;
  writeMac(foundMac, key, remoteIdentity, localIdentity, bytes, from, macAt);
  let different = 0;
  for (let byte = 0; byte < MAC_BYTES; byte += 1) different |= foundMac[byte]! ^ bytes[macAt + byte]!;
  if (different !== 0) throw new Error('a message that is not of this session');
  return openCbcAt(key, 0, IV_AT, bytes, ciphertextAt, ciphertextEnd);
};

const chainKey = new Uint8Array(KEY_BYTES);
const messageKey = new Uint8Array(MESSAGE_KEY_BYTES);

/** A message further along the chain than the last: keys of those between are kept for when they come. */
const readAhead = (state: SessionState, chain: ReceivingChain, message: RatchetMessage): Buffer => {
  const { counter } = message;
  if (counter - chain.next > MOST_AHEAD) throw new Error('a message too far ahead');
  let between: [number, Uint8Array][] | null = null;
  chainKey.set(chain.key);
  for (let number = chain.next; number < counter; number += 1) {
    const key = new Uint8Array(MESSAGE_KEY_BYTES);
    advance(chainKey, key);
    (between ??= []).push([number, key]);
  }
  advance(chainKey, messageKey);
  const plaintext = open(state, message, messageKey);
  chain.key.set(chainKey);
  chain.next = counter + 1;
  if (between === null) return plaintext;
  for (const [number, key] of between) {
    chain.skipped ??= new Map();
    chain.skipped.set(number, key);
    if (chain.skipped.size > MOST_SKIPPED) chain.skipped.delete(chain.skipped.keys().next().value!);
  }
  return plaintext;
};

const readLate = (state: SessionState, chain: ReceivingChain, message: RatchetMessage): Buffer => {
  const key = chain.skipped?.get(message.counter);
  if (key === undefined) throw new Error('a message that was read before');
  const plaintext = open(state, message, key);
  chain.skipped!.delete(message.counter);
  return plaintext;
};

/** Throws, with the state as it was, where the message is not of this session. */
export const decrypt = (state: SessionState, message: RatchetMessage): Buffer => {
  const known = chainOf(state, message);
  const stepped = known === null ? step(state, message) : null;
  const chain = known ?? stepped!.chain;
  const plaintext = message.counter < chain.next ? readLate(state, chain, message) : readAhead(state, chain, message);
  stepped?.commit();
  // Whoever answers knows the session.
  state.pending = null;
  return plaintext;
};

export const encrypt = (state: SessionState, plaintext: Uint8Array): Uint8Array => {
  const { sending } = state;
  advance(sending.key, messageKey);
  const ciphertext = sealCbc(messageKey.subarray(0, MAC_KEY_AT), messageKey.subarray(IV_AT), plaintext);
  const out = writeMessage(sending.ratchet.pubKey, sending.next, state.previousCounter, ciphertext);
  sending.next += 1;
  const mac = new Uint8Array(MAC_BYTES);
  const signed = out.done();
  writeMac(mac, messageKey, state.localIdentity, state.remoteIdentity, signed, 0, signed.length);
  return out.raw(mac).done();
};
