/** All sessions with one peer: the current one, and those before it, whose messages may still be under way. */
import type { KeyPair, PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { isKeyAt, type RatchetMessage, readMessage, readSetup, writeSetup } from './message.ts';
import { decrypt, encrypt, hasChain, type SessionState } from './ratchet.ts';
import { acceptSession, beginSession, type Owner } from './set-up.ts';

export interface Ciphertext {
  /** `pkmsg` sets the session up as well. */
  readonly type: 'pkmsg' | 'msg';
  readonly body: Uint8Array;
}

/** Where the private halves of published prekeys are. */
export interface OwnKeys extends Owner {
  readonly signedPreKey: { readonly keyId: number; readonly keyPair: KeyPair };
  readonly preKeys: { get(id: number): Uint8Array | null; delete(id: number): void };
}

/** As many former sessions as the protocol's own implementations keep. */
const MOST_FORMER = 40;

export class Session {
  /** The current one first. */
  #states: SessionState[];

  constructor(states: readonly SessionState[] = []) {
    this.#states = [...states];
  }

  get states(): readonly SessionState[] {
    return this.#states;
  }

  /** From now on what is written goes by a new session. */
  open(owner: Owner, bundle: PreKeyBundleInput): void {
    this.#putFirst(beginSession(owner, bundle));
  }

  encrypt(plaintext: Uint8Array): Ciphertext {
    const current = this.#states[0];
    if (current === undefined) throw new Error('there is no session');
    const { pending, localIdentity, localRegistrationId } = current;
    const message = encrypt(current, plaintext);
    if (pending === null) return { type: 'msg', body: message };
    const setup = { ...pending, identity: localIdentity, registrationId: localRegistrationId, message };
    return { type: 'pkmsg', body: writeSetup(setup) };
  }

  /** Throws, with everything as it was, where no session can read it. */
  decrypt(keys: OwnKeys, { type, body }: Ciphertext): Buffer {
    return type === 'pkmsg' ? this.#decryptSetup(keys, body) : this.#decryptMessage(body);
  }

  #decryptSetup(keys: OwnKeys, body: Uint8Array): Buffer {
    const setup = readSetup(body);
    const message = readMessage(body, setup.messageAt, setup.messageEnd);
    for (const state of this.#states)
      if (isKeyAt(state.baseKey, body, setup.baseKeyAt)) return this.#decryptBy(state, message);
    const { keyId, keyPair } = keys.signedPreKey;
    const preKey = setup.preKeyId === null ? null : keys.preKeys.get(setup.preKeyId);
    const isThere = setup.preKeyId === null || preKey !== null;
    if (setup.signedPreKeyId !== keyId || !isThere) throw new Error('a prekey that is not there');
    const fresh = acceptSession(keys, setup, keyPair, preKey);
    const plaintext = this.#decryptBy(fresh, message);
    if (setup.preKeyId !== null) keys.preKeys.delete(setup.preKeyId);
    return plaintext;
  }

  #decryptMessage(body: Uint8Array): Buffer {
    const [current] = this.#states;
    if (current === undefined) throw new Error('there is no session');
    const message = readMessage(body);
    if (this.#states.length === 1 || hasChain(current, message)) return this.#decryptBy(current, message);
    // Mostly there is one that knows the sender's key; a key that none knows is the next step of one of them.
    const known = this.#states.filter((state) => hasChain(state, message));
    let first: unknown;
    for (const state of known.length > 0 ? known : this.#states) {
      try {
        return this.#decryptBy(state, message);
      } catch (error) {
        first ??= error;
      }
    }
    throw first;
  }

  /** What the peer writes by is the current session. */
  #decryptBy(state: SessionState, message: RatchetMessage): Buffer {
    const plaintext = decrypt(state, message);
    if (state !== this.#states[0]) this.#putFirst(state);
    return plaintext;
  }

  #putFirst(state: SessionState): void {
    this.#states = [state, ...this.#states.filter((other) => other !== state)].slice(0, MOST_FORMER + 1);
  }
}
