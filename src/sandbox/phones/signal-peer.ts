/** One phone's end of the Signal protocol: sessions, messages and sender keys, on `whatsapp-rust-bridge`. */
import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SessionBuilder,
  SessionCipher,
} from 'whatsapp-rust-bridge';
import type { PreKeyBundleInput, SignalStorage } from 'whatsapp-rust-bridge';
import { attemptsAt, type Attempts } from './session-states.ts';
import type { SignalState } from './signal-state.ts';

export interface Ciphertext {
  readonly type: 'pkmsg' | 'msg';
  readonly body: Uint8Array;
}

const storageOf = (state: SignalState): SignalStorage => ({
  loadSession: (address) => state.sessions.get(address),
  storeSession: (address, record) => {
    state.sessions.set(address, record.serialize());
  },
  getOurIdentity: () => state.identity,
  getOurRegistrationId: () => state.registrationId,
  // Trust on first use, as the network's own apps do: a changed identity is news, not an error.
  isTrustedIdentity: () => true,
  loadPreKey: (id) => state.preKeys.get(id),
  removePreKey: (id) => {
    state.preKeys.delete(id);
  },
  loadSignedPreKey: () => state.signedPreKey,
  loadSenderKey: (name) => state.senderKeys.get(name),
  storeSenderKey: (name, record) => {
    state.senderKeys.set(name, record);
  },
});

/** The bridge throws plain strings. */
const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

export class SignalPeer {
  readonly #state: SignalState;
  readonly #storage: SignalStorage;
  /** A cipher keeps its session record in memory, so there is exactly one per address. */
  readonly #ciphers = new Map<string, SessionCipher>();
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  constructor(state: SignalState) {
    this.#state = state;
    this.#storage = storageOf(state);
  }

  hasSession(address: string): boolean {
    return this.#state.sessions.has(address);
  }

  /** Opens a new session; an older one with the address can still be read from. */
  open(address: string, bundle: PreKeyBundleInput): Promise<void> {
    return this.#exclusive(async () => {
      this.#ciphers.delete(address);
      await new SessionBuilder(this.#storage, ProtocolAddress.from(address)).processPreKeyBundle(bundle);
    });
  }

  encrypt(address: string, plaintext: Uint8Array): Promise<Ciphertext> {
    return this.#exclusive(async () => {
      const { type, body } = await this.#cipher(address).encrypt(plaintext);
      return { type: type === 3 ? 'pkmsg' : 'msg', body };
    });
  }

  decrypt(address: string, ciphertext: Ciphertext): Promise<Uint8Array> {
    return this.#exclusive(async () => {
      const attempts = attemptsAt(this.#state.sessions.get(address), ciphertext);
      return attempts === null ? this.#decryptOnce(address, ciphertext) : this.#decryptWith(address, attempts);
    });
  }

  /** This phone's sender key for a group, to be given to those who lack it. */
  distribution(group: string, self: string): Promise<Uint8Array> {
    return this.#exclusive(async () => {
      const name = new SenderKeyName(group, ProtocolAddress.from(self));
      return (await new GroupSessionBuilder(this.#storage).create(name)).serialize();
    });
  }

  acceptDistribution(group: string, author: string, distribution: Uint8Array): Promise<void> {
    return this.#exclusive(async () => {
      const name = new SenderKeyName(group, ProtocolAddress.from(author));
      const message = SenderKeyDistributionMessage.deserialize(distribution);
      await new GroupSessionBuilder(this.#storage).process(name, message);
    });
  }

  encryptGroup(group: string, self: string, plaintext: Uint8Array): Promise<Uint8Array> {
    return this.#exclusive(() => new GroupCipher(this.#storage, group, ProtocolAddress.from(self)).encrypt(plaintext));
  }

  decryptGroup(group: string, author: string, body: Uint8Array): Promise<Uint8Array> {
    return this.#exclusive(() => new GroupCipher(this.#storage, group, ProtocolAddress.from(author)).decrypt(body));
  }

  async #decryptOnce(address: string, { type, body }: Ciphertext): Promise<Uint8Array> {
    const before = this.#state.sessions.get(address);
    const cipher = this.#cipher(address);
    try {
      return type === 'pkmsg'
        ? await cipher.decryptPreKeyWhisperMessage(body)
        : await cipher.decryptWhisperMessage(body);
    } catch (error) {
      this.#put(address, before);
      throw error;
    }
  }

  async #decryptWith(address: string, { message, records, keep }: Attempts): Promise<Uint8Array> {
    const before = this.#state.sessions.get(address);
    let first: unknown;
    for (const [index, record] of records.entries()) {
      try {
        this.#put(address, record);
        const plaintext = await this.#decryptOnce(address, message);
        this.#put(address, keep(this.#state.sessions.get(address)!, index));
        return plaintext;
      } catch (error) {
        first ??= error;
      }
    }
    this.#put(address, before);
    throw first;
  }

  /** Puts a record in the place of the one that a cipher has in memory. */
  #put(address: string, record: Uint8Array | undefined): void {
    this.#ciphers.delete(address);
    if (record === undefined) this.#state.sessions.delete(address);
    else this.#state.sessions.set(address, record);
  }

  #cipher(address: string): SessionCipher {
    let cipher = this.#ciphers.get(address);
    if (cipher === undefined) {
      cipher = new SessionCipher(this.#storage, ProtocolAddress.from(address));
      this.#ciphers.set(address, cipher);
    }
    return cipher;
  }

  /** Sending and receiving with one peer must not interleave: they move the same ratchet. First come, first served. */
  async #exclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.#busy) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy = true;
    try {
      return await work();
    } catch (error) {
      throw asError(error);
    } finally {
      // The next one takes the place over, so that nobody gets in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy = false;
      else next();
    }
  }
}
