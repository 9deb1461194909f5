/** One phone's end of the Signal protocol: sessions by our own ratchet, sender keys by `whatsapp-rust-bridge`. */
import {
  GroupCipher,
  GroupSessionBuilder,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
} from 'whatsapp-rust-bridge';
import type { PreKeyBundleInput, SignalStorage } from 'whatsapp-rust-bridge';
import { type Ciphertext, Session } from '../signal/session.ts';
import type { SignalState } from './signal-state.ts';

const notOfGroups = (): never => {
  throw new Error('sender keys know no sessions');
};

const storageOf = (state: SignalState): SignalStorage => ({
  loadSession: notOfGroups,
  storeSession: notOfGroups,
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
  open(address: string, bundle: PreKeyBundleInput): void {
    const session = this.#state.sessions.get(address) ?? new Session();
    session.open(this.#state, bundle);
    this.#state.sessions.set(address, session);
  }

  encrypt(address: string, plaintext: Uint8Array): Ciphertext {
    const session = this.#state.sessions.get(address);
    if (session === undefined) throw new Error(`there is no session with ${address}`);
    return session.encrypt(plaintext);
  }

  decrypt(address: string, ciphertext: Ciphertext): Uint8Array {
    const known = this.#state.sessions.get(address);
    const session = known ?? new Session();
    const plaintext = session.decrypt(this.#state, ciphertext);
    if (known === undefined) this.#state.sessions.set(address, session);
    return plaintext;
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

  /** Operations on sender keys must not interleave: they move the same chains. First come, first served. */
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
