/** The Signal protocol by whatsapp-rust-bridge, one operation at a time over a unit of work. */
import { typedKey } from '../engine/crypto.ts';
import { messageOf } from '../../errors.ts';
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
import { byLikelihood, knownSetup, recordOf, statesOf } from './session-record.ts';
import type { UnitOfWork } from './signal-records.ts';
import { signedPreKeyWith } from './credentials.ts';

// The unit knows whose record it works on, so the bridge is told one name for everybody: its errors then name nobody,
// and nothing has to be made and freed for each operation.
const peer = new ProtocolAddress('peer', 0);
const groupName = 'group';
const member = new SenderKeyName(groupName, peer);

/** The bridge's type of a message that sets a session up. */
const preKeyMessageType = 3;

/** An encrypted message as its stanza carries it. */
export interface SignalMessage {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

const typedPair = ({ public: pubKey, private: privKey }: SignalCreds['signedIdentityKey']): KeyPair => ({
  pubKey: typedKey(pubKey),
  privKey,
});

/** The bridge's view of a unit: everything it may ask for was loaded before. */
class BridgeStorage implements SignalStorage {
  readonly #unit: UnitOfWork;
  readonly #creds: SignalCreds;
  readonly #id: string;

  constructor(unit: UnitOfWork, creds: SignalCreds, id: string) {
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
    const found = signedPreKeyWith(this.#creds, id);
    return found === null ? null : { ...found, keyPair: typedPair(found.keyPair) };
  }
  loadSenderKey(): Uint8Array | null {
    return this.#unit.get('sender-key', this.#id);
  }
  storeSenderKey(_id: string, record: Uint8Array): void {
    this.#unit.put('sender-key', this.#id, record);
  }
}

/** Baileys recognises it by its text. */
export class NoSession extends Error {
  constructor() {
    super('No session record');
  }
}

/** The bridge throws strings. */
const errorOf = (thrown: unknown): Error => {
  if (thrown instanceof Error) return thrown;
  const text = String(thrown).replace(/^SessionCipher\.\w+ (?:failed|error): /, '');
  return text.startsWith('SessionNotFound') ? new NoSession() : new Error(text);
};

/** The bridge's words for a message key that was used already. */
export const isReplay = (error: unknown): boolean => /old counter|duplicate/i.test(messageOf(error));

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

/** Tries one state after the other (see session-record.ts); the one that reads the message is the current one from then on. */
const decryptWith = async (
  unit: UnitOfWork,
  id: string,
  states: readonly Uint8Array[],
  candidates: readonly Uint8Array[],
  decrypt: () => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  if (candidates.length === 0) return decrypt();
  const isAlone = states.length === 1;
  let first: unknown;
  for (const state of candidates) {
    try {
      if (!isAlone) unit.put('session', id, recordOf([state]));
      const plaintext = await decrypt();
      const [moved, ...others] = statesOf(unit.get('session', id)!);
      if (!isAlone || others.length > 0)
        unit.put('session', id, recordOf([moved!, ...states.filter((each) => each !== state)]));
      return plaintext;
    } catch (error) {
      first ??= error;
    }
  }
  unit.put('session', id, recordOf(states));
  throw first;
};

/** Null for a message that sets up a session that is not there yet. */
export const decryptKnown = (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  { type, ciphertext }: SignalMessage,
): Promise<Uint8Array> | null => {
  const record = unit.get('session', id);
  const states = record === null ? [] : statesOf(record);
  const known = type === 'pkmsg' ? knownSetup(states, ciphertext) : null;
  if (type === 'pkmsg' && known === null) return null;
  const message = known?.message ?? ciphertext;
  const candidates = known === null ? byLikelihood(states, message) : [known.state];
  return decryptWith(unit, id, states, candidates, () =>
    once(new SessionCipher(new BridgeStorage(unit, creds, id), peer), (cipher) =>
      cipher.decryptWhisperMessage(message),
    ),
  );
};

/** Encrypts in one session of a unit of work. */
export const encryptFor = async (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  plaintext: Uint8Array,
): Promise<SignalMessage> => {
  const cipher = new SessionCipher(new BridgeStorage(unit, creds, id), peer);
  try {
    const { type, body } = await cipher.encrypt(plaintext);
    return { type: type === preKeyMessageType ? 'pkmsg' : 'msg', ciphertext: body };
  } catch (error) {
    throw errorOf(error);
  } finally {
    cipher.free();
  }
};

/** The protocol's other operations on one session of a unit of work. */
export const bridgeOf = (unit: UnitOfWork, creds: SignalCreds, id: string) => {
  const storage = new BridgeStorage(unit, creds, id);
  return {
    decrypt: async (type: SignalMessage['type'], ciphertext: Uint8Array): Promise<Uint8Array> =>
      (await decryptKnown(unit, creds, id, { type, ciphertext })) ??
      once(new SessionCipher(storage, peer), (cipher) => cipher.decryptPreKeyWhisperMessage(ciphertext)),
    begin: (bundle: PreKeyBundleInput): Promise<void> =>
      once(new SessionBuilder(storage, peer), (builder) => builder.initOutgoing(bundle)),
  };
};

/** The protocol's operations on one sender key of a unit of work. */
export const groupBridgeOf = (unit: UnitOfWork, creds: SignalCreds, id: string) => {
  const storage = new BridgeStorage(unit, creds, id);
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
