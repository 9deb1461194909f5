/** The Signal protocol by whatsapp-rust-bridge, one operation at a time over a unit of work. */
import { typedKey } from '../engine/crypto.ts';
import type { SignalCreds } from '../engine/types.ts';
import {
  GroupCipher,
  GroupSessionBuilder,
  type KeyPair,
  type PreKeyBundleInput,
  ProtocolAddress,
  SenderKeyDistributionMessage,
  SenderKeyName,
  SessionBuilder,
  SessionCipher,
  type SessionRecord,
  type SignalStorage,
  type SignedPreKey,
} from 'whatsapp-rust-bridge';
import { decodePreKey } from './key-codec.ts';
import { openOnChain, sealOnChain } from './on-chain.ts';
import { byLikelihood, knownSetup, recordOf, statesOf } from './states.ts';
import type { Unit } from './unit.ts';

// The unit knows whose record it works on, so the bridge is told one name for everybody: its errors then name nobody,
// and nothing has to be made and freed for each operation.
const peer = new ProtocolAddress('peer', 0);
const groupName = 'group';
const member = new SenderKeyName(groupName, peer);

/** The bridge's type of a message that sets a session up. */
const preKeyMessageType = 3;

/** A message as its stanza carries it. */
export interface Sealed {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

const typedPair = ({ public: pubKey, private: privKey }: SignalCreds['signedIdentityKey']): KeyPair => ({
  pubKey: typedKey(pubKey),
  privKey,
});

/** The bridge's view of a unit: everything it may ask for was loaded before. */
class UnitStorage implements SignalStorage {
  readonly #unit: Unit;
  readonly #creds: SignalCreds;
  readonly #id: string;

  constructor(unit: Unit, creds: SignalCreds, id: string) {
    this.#unit = unit;
    this.#creds = creds;
    this.#id = id;
  }

  loadSession(): Uint8Array | null {
    return this.#unit.get('session', this.#id);
  }
  /** Not in the bridge's types: where it exists, the bridge hands over bytes and no object that has to be freed. */
  storeSessionRaw(_address: string, record: Uint8Array): void {
    this.#unit.put('session', this.#id, record);
  }
  storeSession(_address: string, record: SessionRecord): void {
    this.#unit.put('session', this.#id, record.serialize());
    record.free();
  }
  getOurIdentity(): KeyPair {
    return typedPair(this.#creds.signedIdentityKey);
  }
  getOurRegistrationId(): number {
    return this.#creds.registrationId;
  }
  /** Trust on first use, as the network's own clients do; changes of identity are seen in sessions.ts. */
  isTrustedIdentity(): boolean {
    return true;
  }
  loadPreKey(id: number): KeyPair | null {
    const value = this.#unit.get('pre-key', String(id));
    return value === null ? null : typedPair(decodePreKey(value));
  }
  removePreKey(id: number): void {
    this.#unit.put('pre-key', String(id), null);
  }
  loadSignedPreKey(id: number): SignedPreKey | null {
    const { keyId, keyPair, signature } = this.#creds.signedPreKey;
    return id === keyId ? { keyId, keyPair: typedPair(keyPair), signature } : null;
  }
  loadSenderKey(): Uint8Array | null {
    return this.#unit.get('sender-key', this.#id);
  }
  storeSenderKey(_id: string, record: Uint8Array): void {
    this.#unit.put('sender-key', this.#id, record);
  }
}

/** The bridge throws strings; what Baileys recognises by its text gets that text. */
const errorOf = (thrown: unknown): Error => {
  if (thrown instanceof Error) return thrown;
  const text = String(thrown).replace(/^SessionCipher\.\w+ (?:failed|error): /, '');
  return new Error(text.startsWith('SessionNotFound') ? 'No session record' : text);
};

/** Runs one call of a bridge object and frees it: objects cache records, so each lives for one operation only. */
const once = async <O extends { free(): void }, T>(object: O, call: (object: O) => Promise<T>): Promise<T> => {
  try {
    return await call(object);
  } catch (error) {
    throw errorOf(error);
  } finally {
    object.free();
  }
};

/** Tries one state after the other (see states.ts); the one that can read the message is the current one from then on. */
const decryptWith = async (
  unit: Unit,
  id: string,
  states: readonly Uint8Array[],
  candidates: readonly Uint8Array[],
  decrypt: () => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  let first: unknown;
  for (const state of candidates) {
    try {
      unit.put('session', id, recordOf([state]));
      const plaintext = await decrypt();
      const [moved] = statesOf(unit.get('session', id)!);
      unit.put('session', id, recordOf([moved!, ...states.filter((each) => each !== state)]));
      return plaintext;
    } catch (error) {
      first ??= error;
    }
  }
  unit.put('session', id, recordOf(states));
  throw first;
};

/** What needs no bridge (see on-chain.ts); null for everything else. */
const openedOnChain = (unit: Unit, id: string, type: Sealed['type'], ciphertext: Uint8Array): Uint8Array | null => {
  const record = unit.get('session', id);
  const opened = record === null ? null : openOnChain(record, type, ciphertext);
  if (opened === null) return null;
  unit.put('session', id, opened.record);
  return opened.plaintext;
};

export const sealedOnChain = (unit: Unit, id: string, plaintext: Uint8Array): Sealed | null => {
  const record = unit.get('session', id);
  const sealed = record === null ? null : sealOnChain(record, plaintext);
  if (sealed !== null) unit.put('session', id, sealed.record);
  return sealed;
};

/** One unit's session, and the protocol's operations on it. */
export const bridgeOf = (unit: Unit, creds: SignalCreds, id: string) => {
  const cipher = (): SessionCipher => new SessionCipher(new UnitStorage(unit, creds, id), peer);
  const decryptSetup = (ciphertext: Uint8Array): Promise<Uint8Array> =>
    once(cipher(), (one) => one.decryptPreKeyWhisperMessage(ciphertext));
  const decryptMessage = (message: Uint8Array): Promise<Uint8Array> =>
    once(cipher(), (one) => one.decryptWhisperMessage(message));
  return {
    /** Only with a session that is there: no new one is set up. */
    async decryptKnown(type: Sealed['type'], ciphertext: Uint8Array): Promise<Uint8Array> {
      const opened = openedOnChain(unit, id, type, ciphertext);
      if (opened !== null) return opened;
      const states = statesOf(unit.get('session', id) ?? new Uint8Array());
      const known = type === 'pkmsg' ? knownSetup(states, ciphertext) : null;
      if (type === 'pkmsg' && known === null) throw new Error('A session to be set up');
      const message = known?.message ?? ciphertext;
      const candidates = known === null ? byLikelihood(states, message) : [known.state];
      return decryptWith(unit, id, states, candidates, () => decryptMessage(message));
    },
    async decrypt(type: Sealed['type'], ciphertext: Uint8Array): Promise<Uint8Array> {
      const opened = openedOnChain(unit, id, type, ciphertext);
      if (opened !== null) return opened;
      const record = unit.get('session', id);
      const states = record === null ? [] : statesOf(record);
      if (type === 'pkmsg') {
        const known = knownSetup(states, ciphertext);
        // A new session is the current one at once, and the bridge needs no second attempt.
        if (known === null) return decryptSetup(ciphertext);
        return decryptWith(unit, id, states, [known.state], () => decryptMessage(known.message));
      }
      if (states.length === 0) return decryptMessage(ciphertext);
      return decryptWith(unit, id, states, byLikelihood(states, ciphertext), () => decryptMessage(ciphertext));
    },
    async encrypt(plaintext: Uint8Array): Promise<Sealed> {
      const sealed = sealedOnChain(unit, id, plaintext);
      if (sealed !== null) return sealed;
      const { type, body } = await once(cipher(), (one) => one.encrypt(plaintext));
      return { type: type === preKeyMessageType ? 'pkmsg' : 'msg', ciphertext: body };
    },
    begin: (bundle: PreKeyBundleInput): Promise<void> =>
      once(new SessionBuilder(new UnitStorage(unit, creds, id), peer), (builder) => builder.initOutgoing(bundle)),
  };
};

/** One unit's sender key, and the protocol's operations on it. */
export const groupBridgeOf = (unit: Unit, creds: SignalCreds, id: string) => {
  const storage = new UnitStorage(unit, creds, id);
  return {
    decrypt: (ciphertext: Uint8Array): Promise<Uint8Array> =>
      once(new GroupCipher(storage, groupName, peer), (cipher) => cipher.decrypt(ciphertext)),
    encrypt: (plaintext: Uint8Array): Promise<Uint8Array> =>
      once(new GroupCipher(storage, groupName, peer), (cipher) => cipher.encrypt(plaintext)),
    /** The sender key as it is to be given to the members; makes one where there is none. */
    distribution: async (): Promise<Uint8Array> => {
      const message = await once(new GroupSessionBuilder(storage), (builder) => builder.create(member));
      try {
        return message.serialize();
      } finally {
        message.free();
      }
    },
    accept: async (distribution: Uint8Array): Promise<void> => {
      const message = parseDistribution(distribution);
      try {
        await once(new GroupSessionBuilder(storage), (builder) => builder.process(member, message));
      } finally {
        message.free();
      }
    },
  };
};

const parseDistribution = (bytes: Uint8Array): SenderKeyDistributionMessage => {
  try {
    return SenderKeyDistributionMessage.deserialize(bytes);
  } catch (error) {
    throw errorOf(error);
  }
};
