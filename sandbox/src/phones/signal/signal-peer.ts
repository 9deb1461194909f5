/** A phone's side of the Signal protocol: sessions by address, and sender keys of groups. */
import { Mutex } from 'async-mutex';
import { proto } from 'baileys';
import {
  getPublicFromPrivateKey,
  GroupCipher,
  GroupSessionBuilder,
  type PreKeyBundleInput,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SessionBuilder,
  SessionCipher,
  type SignalStorage,
} from 'whatsapp-rust-bridge';
import { type Ciphertext, readMessage, readSetup, sameBytes, type SignalState } from './signal-state.ts';

type Session = proto.ISessionStructure;

/** The bridge's type of a message that sets up a session. */
const PRE_KEY_MESSAGE = 3;
/** Former sessions kept per address, as in Signal's own implementations. */
const MAX_FORMER = 40;

const storageOf = (state: SignalState): SignalStorage => ({
  loadSession: (address) => state.sessions.get(address),
  storeSession: (address, record) => {
    state.sessions.set(address, record.serialize());
    record.free();
  },
  getOurIdentity: () => state.identity,
  getOurRegistrationId: () => state.registrationId,
  // Trust on first use: a changed identity is accepted.
  isTrustedIdentity: () => true,
  loadPreKey: (id) => {
    const privKey = state.preKeys.get(id);
    return privKey && { pubKey: getPublicFromPrivateKey(privKey), privKey };
  },
  removePreKey: (id) => void state.preKeys.delete(id),
  loadSignedPreKey: (id) => (id === state.signedPreKey.keyId ? state.signedPreKey : null),
  loadSenderKey: (name) => state.senderKeys.get(name),
  storeSenderKey: (name, record) => void state.senderKeys.set(name, record),
});

const sessionsIn = (record: Uint8Array | undefined): Session[] => {
  if (record === undefined) return [];
  const { currentSession, previousSessions } = proto.RecordStructure.decode(record);
  return [...(currentSession ? [currentSession] : []), ...previousSessions];
};

const recordOf = ([currentSession, ...former]: readonly Session[]): Uint8Array =>
  proto.RecordStructure.encode({
    ...(currentSession && { currentSession }),
    previousSessions: former.slice(0, MAX_FORMER),
  }).finish();

/** Sessions that know the message's ratchet key first. */
const likelyFirst = (sessions: readonly Session[], body: Uint8Array): readonly Session[] => {
  const { ratchetKey } = readMessage(body);
  const knows = ({ receiverChains }: Session): boolean =>
    receiverChains?.some(({ senderRatchetKey }) => sameBytes(senderRatchetKey, ratchetKey)) === true;
  return [...sessions.filter(knows), ...sessions.filter((session) => !knows(session))];
};

export class SignalPeer {
  readonly #state: SignalState;
  readonly #storage: SignalStorage;
  /** Each operation loads, changes and stores a record. */
  readonly #mutex = new Mutex();

  constructor(state: SignalState) {
    this.#state = state;
    this.#storage = storageOf(state);
  }

  hasSession(address: string): boolean {
    return this.#state.sessions.has(address);
  }

  open(address: string, bundle: PreKeyBundleInput): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      using remote = ProtocolAddress.from(address);
      using builder = new SessionBuilder(this.#storage, remote);
      await builder.processPreKeyBundle(bundle);
    });
  }

  encrypt(address: string, plaintext: Uint8Array): Promise<Ciphertext> {
    return this.#mutex.runExclusive(() =>
      this.#withCipher(address, async (cipher) => {
        const { type, body } = await cipher.encrypt(plaintext);
        return { type: type === PRE_KEY_MESSAGE ? 'pkmsg' : 'msg', body };
      }),
    );
  }

  /** Rejects, without changing any session, if none can read the message. */
  decrypt(address: string, { type, body }: Ciphertext): Promise<Uint8Array> {
    return this.#mutex.runExclusive(() => {
      const sessions = sessionsIn(this.#state.sessions.get(address));
      if (type === 'msg') return this.#decryptBy(address, sessions, likelyFirst(sessions, body), body);
      const { baseKey, message } = readSetup(body);
      const known = sessions.find(({ aliceBaseKey }) => sameBytes(aliceBaseKey, baseKey));
      if (known && message) return this.#decryptBy(address, sessions, [known], message);
      return this.#withCipher(address, (cipher) => cipher.decryptPreKeyWhisperMessage(body));
    });
  }

  distribution(group: string, self: string): Promise<Uint8Array> {
    return this.#mutex.runExclusive(async () => {
      using sender = ProtocolAddress.from(self);
      using name = new SenderKeyName(group, sender);
      using builder = new GroupSessionBuilder(this.#storage);
      using message = await builder.create(name);
      return message.serialize();
    });
  }

  acceptDistribution(group: string, author: string, distribution: Uint8Array): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      using sender = ProtocolAddress.from(author);
      using name = new SenderKeyName(group, sender);
      using builder = new GroupSessionBuilder(this.#storage);
      using message = SenderKeyDistributionMessage.deserialize(distribution);
      await builder.process(name, message);
    });
  }

  encryptGroup(group: string, self: string, plaintext: Uint8Array): Promise<Uint8Array> {
    return this.#mutex.runExclusive(() => this.#withGroupCipher(group, self, (cipher) => cipher.encrypt(plaintext)));
  }

  decryptGroup(group: string, author: string, body: Uint8Array): Promise<Uint8Array> {
    return this.#mutex.runExclusive(() => this.#withGroupCipher(group, author, (cipher) => cipher.decrypt(body)));
  }

  /** One session at a time: a failed attempt moves a session's ratchet so that neither side can read the other any more. */
  async #decryptBy(
    address: string,
    sessions: readonly Session[],
    candidates: readonly Session[],
    body: Uint8Array,
  ): Promise<Uint8Array> {
    const kept = this.#state.sessions;
    const before = kept.get(address);
    let first: unknown = new Error('there is no session');
    for (const [index, session] of candidates.entries()) {
      try {
        if (sessions.length > 1) kept.set(address, recordOf([session]));
        const plaintext = await this.#withCipher(address, (cipher) => cipher.decryptWhisperMessage(body));
        if (sessions.length > 1) {
          const others = sessions.filter((other) => other !== session);
          kept.set(address, recordOf([...sessionsIn(kept.get(address)), ...others]));
        }
        return plaintext;
      } catch (error) {
        if (index === 0) first = error;
      }
    }
    if (before !== undefined) kept.set(address, before);
    throw first;
  }

  async #withCipher<T>(address: string, use: (cipher: SessionCipher) => Promise<T>): Promise<T> {
    using remote = ProtocolAddress.from(address);
    using cipher = new SessionCipher(this.#storage, remote);
    return await use(cipher);
  }

  async #withGroupCipher<T>(group: string, author: string, use: (cipher: GroupCipher) => Promise<T>): Promise<T> {
    using sender = ProtocolAddress.from(author);
    using cipher = new GroupCipher(this.#storage, group, sender);
    return await use(cipher);
  }
}
