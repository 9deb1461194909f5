/** The Signal protocol by whatsapp-rust-bridge, one operation at a time over a unit of work. */
import { typedKey } from '../library/crypto.ts';
import { messageOf } from '../../errors.ts';
import type { SignalCreds } from '../library/types.ts';
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
} from '../library/bridge.ts';
import { decodePreKey } from './key-store.ts';
import { decryptInThread, isLarge, type LargeMessage } from './large-messages.ts';
import { attemptsOf, groupJumpOf, isFirst, knownSetup, recordOf, statesOf } from './session-record.ts';
import type { UnitOfWork } from './signal-records.ts';
import { signedPreKeyWith } from './credentials.ts';

// The unit knows whose record it is, so the bridge gets one name for everybody: its errors name nobody, and nothing is allocated per
// operation.
const peer = new ProtocolAddress('peer', 0);
const groupName = 'group';
const member = new SenderKeyName(groupName, peer);

const preKeyMessageType = 3;

export interface SignalMessage {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

const typedPair = ({ public: pubKey, private: privKey }: SignalCreds['signedIdentityKey']): KeyPair => ({
  pubKey: typedKey(pubKey),
  privKey,
});

/** The bridge's view of a unit: everything it may need was loaded before. */
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
  /** Not in the bridge's types: if present, the bridge passes bytes instead of an object that must be freed. */
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
  /** Trust on first use, like the network's own clients; sessions.ts handles identity changes. */
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

export class NoSession extends Error {
  constructor() {
    super('No session record');
  }
}

const errorOf = (thrown: unknown): Error => {
  if (thrown instanceof Error) return thrown;
  const text = String(thrown).replace(/^SessionCipher\.\w+ (?:failed|error): /, '');
  return text.startsWith('SessionNotFound') ? new NoSession() : new Error(text);
};

/** The bridge's text for a message key already used. */
export const isReplay = (error: unknown): boolean => /old counter|duplicate/i.test(messageOf(error));

/** Bridge objects cache records, so each is freed after one operation. */
const once = async <O extends { free(): void }, T>(object: O, call: (object: O) => Promise<T>): Promise<T> => {
  try {
    return await call(object);
  } catch (error) {
    throw errorOf(error);
  } finally {
    object.free();
  }
};

/** Decrypts a large message without blocking the event loop; `here` if the thread cannot run. */
const decryptLarge = async (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  { type, ciphertext }: Pick<LargeMessage, 'type' | 'ciphertext'>,
  here: () => Promise<Uint8Array>,
): Promise<Uint8Array> => {
  const record = unit.get(type, id);
  if (record === null) return here();
  const { registrationId, signedIdentityKey } = creds;
  const identity = typedPair(signedIdentityKey);
  const decrypted = await decryptInThread({ type, record, identity, registrationId, ciphertext });
  if (decrypted === null) return here();
  if ('refused' in decrypted) throw errorOf(decrypted.refused);
  unit.put(type, id, decrypted.record);
  return decrypted.plaintext;
};

const decryptHere = async (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  message: Uint8Array,
): Promise<Uint8Array> => {
  const cipher = new SessionCipher(new BridgeStorage(unit, creds, id), peer);
  try {
    return await cipher.decryptWhisperMessage(message);
  } catch (error) {
    throw errorOf(error);
  } finally {
    cipher.free();
  }
};

/** Tries one state after the other (see session-record.ts); the one that reads the message becomes the current one. Null for a message that sets up a new session. */
export const decryptKnown = async (
  unit: UnitOfWork,
  creds: SignalCreds,
  id: string,
  { type, ciphertext }: SignalMessage,
): Promise<Uint8Array | null> => {
  const record = unit.get('session', id);
  const states = record === null ? [] : statesOf(record);
  const known = type === 'pkmsg' ? knownSetup(states, ciphertext) : null;
  if (type === 'pkmsg' && known === null) {
    if (!isFirst(ciphertext)) throw new Error('a message that sets up a session is malformed, or far ahead of it');
    return null;
  }
  const message = known?.message ?? ciphertext;
  if (states.length === 0) return decryptHere(unit, creds, id, message);
  const isAlone = states.length === 1;
  let first: unknown = null;
  for (const { state, jump } of attemptsOf(known === null ? states : [known.state], message)) {
    try {
      if (!isAlone) unit.put('session', id, recordOf([state]));
      const here = () => decryptHere(unit, creds, id, message);
      const large = { type: 'session', ciphertext: message } as const;
      const plaintext = await (isLarge(message, jump) ? decryptLarge(unit, creds, id, large, here) : here());
      const [moved, ...others] = statesOf(unit.get('session', id)!);
      if (!isAlone || others.length > 0)
        unit.put('session', id, recordOf([moved!, ...states.filter((each) => each !== state)]));
      return plaintext;
    } catch (error) {
      first ??= error;
    }
  }
  unit.put('session', id, recordOf(states));
  throw first ?? new Error('a message is malformed, or far ahead of its session');
};

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

export const groupBridgeOf = (unit: UnitOfWork, creds: SignalCreds, id: string) => {
  const storage = new BridgeStorage(unit, creds, id);
  return {
    decrypt: async (ciphertext: Uint8Array): Promise<Uint8Array> => {
      const here = (): Promise<Uint8Array> =>
        once(new GroupCipher(storage, groupName, peer), (cipher) => cipher.decrypt(ciphertext));
      const jump = groupJumpOf(unit.get('sender-key', id), ciphertext);
      return isLarge(ciphertext, jump)
        ? decryptLarge(unit, creds, id, { type: 'sender-key', ciphertext }, here)
        : here();
    },
    encrypt: (plaintext: Uint8Array): Promise<Uint8Array> =>
      once(new GroupCipher(storage, groupName, peer), (cipher) => cipher.encrypt(plaintext)),
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
