/** One phone's end of the Signal protocol: its sessions by address, and the sender keys of its groups. */
import type { PreKeyBundleInput } from 'whatsapp-rust-bridge';
import { SenderKey } from '../../signal/sender-key.ts';
import { type Ciphertext, Session } from '../../signal/session.ts';
import type { SignalState } from './signal-state.ts';

/** `<group>::<LID digits>_1::<device>`, as the bridge names them that phones used before. */
const senderKeyName = (group: string, author: string): string => `${group}::${author.replace('.', '::')}`;

/** What is there, or a new one that is kept once `use` has gone well. */
const keeping = <V, T>(kept: Map<string, V>, name: string, make: () => V, use: (value: V) => T): T => {
  const known = kept.get(name);
  const value = known ?? make();
  const result = use(value);
  if (known === undefined) kept.set(name, value);
  return result;
};

const newSession = (): Session => new Session();
const newSenderKey = (): SenderKey => new SenderKey();

export class SignalPeer {
  readonly #state: SignalState;

  constructor(state: SignalState) {
    this.#state = state;
  }

  hasSession(address: string): boolean {
    return this.#state.sessions.has(address);
  }

  /**
   * Opens a new session; an older one with the address can still be read from. Trust on first use, as the network's own
   * apps do: a changed identity is news, not an error.
   */
  open(address: string, bundle: PreKeyBundleInput): void {
    keeping(this.#state.sessions, address, newSession, (session) => session.open(this.#state, bundle));
  }

  encrypt(address: string, plaintext: Uint8Array): Ciphertext {
    const session = this.#state.sessions.get(address);
    if (session === undefined) throw new Error('there is no session');
    return session.encrypt(plaintext);
  }

  decrypt(address: string, ciphertext: Ciphertext): Buffer {
    const known = this.#state.sessions.get(address);
    if (known !== undefined) return known.decrypt(this.#state, ciphertext);
    return keeping(this.#state.sessions, address, newSession, (session) => session.decrypt(this.#state, ciphertext));
  }

  /** This phone's sender key for a group, to be given to those who lack it. */
  distribution(group: string, self: string): Uint8Array {
    return this.#senderKey(group, self, (key) => key.distribution());
  }

  acceptDistribution(group: string, author: string, distribution: Uint8Array): void {
    this.#senderKey(group, author, (key) => key.accept(distribution));
  }

  encryptGroup(group: string, self: string, plaintext: Uint8Array): Uint8Array {
    return this.#senderKey(group, self, (key) => key.encrypt(plaintext));
  }

  decryptGroup(group: string, author: string, body: Uint8Array): Buffer {
    return this.#senderKey(group, author, (key) => key.decrypt(body));
  }

  #senderKey<T>(group: string, author: string, use: (key: SenderKey) => T): T {
    return keeping(this.#state.senderKeys, senderKeyName(group, author), newSenderKey, use);
  }
}
