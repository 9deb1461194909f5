/** Two ends of Signal sessions for the tests: ours over a credential store, and the one that Baileys brings. */
import assert from 'node:assert/strict';
import {
  type AuthenticationCreds,
  generateOrGetPreKeys,
  generateSignalPubKey,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
} from 'baileys';
import { makeLibSignalRepository } from 'baileys/lib/Signal/libsignal.js';
import { addTransactionCapability } from 'baileys/lib/Utils/auth-utils.js';
import type { SessionChanges } from '../../../src/domain/changes.ts';
import type { SessionCredentials } from '../../../src/domain/stores.ts';
import { makeLog } from '../../../src/log.ts';
import { newCredentials } from '../../../src/whatsapp/signal/credentials.ts';
import { makeKeyStore, keyTypes } from '../../../src/whatsapp/signal/key-store.ts';
import { type LidMapping, makeLidMapping } from '../../../src/whatsapp/signal/lid-mapping.ts';
import { Locks } from '../../../src/whatsapp/signal/signal-records.ts';
import type { OnPlaintext } from '../../../src/whatsapp/signal/inbox.ts';
import { makeRepository } from '../../../src/whatsapp/signal/repository.ts';
import { fieldMapOf } from '../../../src/whatsapp/signal/session-record.ts';

export const log = makeLog('silent');
// The stock repository prints session records.
for (const method of ['info', 'warn', 'error'] as const) console[method] = () => {};
const transactions = { maxCommitRetries: 1, delayBetweenTriesMs: 1 };

export interface MemoryStore extends SessionCredentials {
  readonly keys: Map<string, Uint8Array>;
  readonly inbox: Map<string, Uint8Array>;
  readonly commits: SessionChanges[];
  /** Thrown by the next commits while it is set. */
  failure: Error | null;
  /** Milliseconds that every call takes; null for none. */
  latency: number | null;
  reads: number;
}

export const memoryStore = (): MemoryStore => {
  let credentials: Uint8Array | null = null;
  const keys = new Map<string, Uint8Array>();
  const inbox = new Map<string, Uint8Array>();
  const pause = async (): Promise<void> => {
    const { latency } = store;
    if (latency !== null) await new Promise((resolve) => setTimeout(resolve, latency));
  };
  const apply = (deviceId: number, changes: SessionChanges): void => {
    if (changes.credentials) credentials = changes.credentials;
    for (const { type, id, value } of changes.keys ?? []) {
      if (value === null) keys.delete(`${deviceId}/${type}/${id}`);
      else keys.set(`${deviceId}/${type}/${id}`, new Uint8Array(value));
    }
    for (const { key, plaintext } of changes.inbox ?? []) inbox.set(`${deviceId}/${key}`, new Uint8Array(plaintext));
    store.commits.push(changes);
  };
  const store: MemoryStore = {
    keys,
    inbox,
    commits: [],
    failure: null,
    latency: null,
    reads: 0,
    loadCredentials: async () => credentials,
    async readKeys(deviceId, type, ids) {
      store.reads += 1;
      await pause();
      const found = new Map<string, Uint8Array>();
      for (const id of ids) {
        const value = keys.get(`${deviceId}/${type}/${id}`);
        if (value) found.set(id, value);
      }
      return found;
    },
    async readTogether(deviceId, names) {
      await pause();
      return names.map(({ type, id }) => keys.get(`${deviceId}/${type}/${id}`) ?? null);
    },
    async commit(deviceId, changes) {
      await pause();
      if (store.failure) throw store.failure;
      apply(deviceId, changes);
      return [];
    },
    async readInbox(deviceId, key) {
      await pause();
      return inbox.get(`${deviceId}/${key}`) ?? null;
    },
    async clearCredentials(deviceId, changes) {
      credentials = null;
      for (const key of keys.keys()) if (key.startsWith(`${deviceId}/`)) keys.delete(key);
      inbox.clear();
      apply(deviceId, changes);
      return [];
    },
  };
  return store;
};

/** A key store for Baileys' own repository, which keeps objects. */
export const memoryKeys = (): SignalKeyStoreWithTransaction => {
  const entries = new Map<string, unknown>();
  const store: SignalKeyStore = {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids.filter((each) => entries.has(`${type}/${each}`))) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is read is what was set under this type
        found[id] = entries.get(`${type}/${id}`) as SignalDataTypeMap[T];
      }
      return found;
    },
    set: async (data) => {
      for (const type of keyTypes) {
        for (const [id, value] of Object.entries<unknown>(data[type] ?? {})) {
          if (value === null) entries.delete(`${type}/${id}`);
          else entries.set(`${type}/${id}`, value);
        }
      }
    },
  };
  return addTransactionCapability(store, log, transactions);
};

type Stock = ReturnType<typeof makeLibSignalRepository>;
type Ours = ReturnType<typeof makeRepository>;

/** What both repositories do. */
type Repository = Pick<Stock, 'encryptMessage' | 'encryptGroupMessage' | 'decryptMessage' | 'decryptGroupMessage'> &
  Pick<
    Ours,
    | 'processSenderKeyDistributionMessage'
    | 'getSenderKeyDistributionMessage'
    | 'hasSenderKey'
    | 'deleteSession'
    | 'migrateSession'
  > & { injectE2ESession: Stock['injectE2ESession'] };

/** Each message by itself, as stock Baileys encrypts. */
const sending = ({ encryptBatch, encryptForGroup }: Ours): Pick<Stock, 'encryptMessage' | 'encryptGroupMessage'> => ({
  async encryptMessage({ jid, data }) {
    const [encrypted] = (await encryptBatch([{ jid, plaintext: data }], {}, false)).encrypted;
    if (!encrypted) throw new Error('No session record');
    return { type: encrypted.type, ciphertext: encrypted.ciphertext };
  },
  async encryptGroupMessage({ group, meId, data }) {
    const { ciphertext, distribution } = await encryptForGroup({ group, meId, data, anew: false }, {});
    return { ciphertext, senderKeyDistributionMessage: distribution };
  },
});

/** One end: a device with its identity, its prekeys and its repository. */
export interface Party {
  readonly jid: string;
  creds: AuthenticationCreds;
  readonly keys: SignalKeyStoreWithTransaction;
  readonly repository: Repository;
  /** A bundle as the server hands it out; a fresh one-time prekey unless told otherwise. */
  bundle(options?: { readonly preKey?: boolean }): Promise<Parameters<Stock['injectE2ESession']>[0]['session']>;
  /** The phone was reinstalled: a new identity. */
  reinstall(): void;
}

const party = (
  jid: string,
  creds: AuthenticationCreds,
  keys: SignalKeyStoreWithTransaction,
  repository: Repository,
): Party => ({
  jid,
  creds,
  keys,
  repository,
  async bundle({ preKey = true } = {}) {
    const { signedIdentityKey, signedPreKey, registrationId } = creds;
    const base = {
      registrationId,
      identityKey: generateSignalPubKey(signedIdentityKey.public) as Uint8Array,
      signedPreKey: {
        keyId: signedPreKey.keyId,
        publicKey: generateSignalPubKey(signedPreKey.keyPair.public) as Uint8Array,
        signature: signedPreKey.signature,
      },
    };
    if (!preKey) return base;
    const { newPreKeys } = generateOrGetPreKeys(creds, 1);
    const [[id, pair] = []] = Object.entries(newPreKeys);
    await keys.set({ 'pre-key': newPreKeys });
    creds.nextPreKeyId += 1;
    creds.firstUnuploadedPreKeyId = creds.nextPreKeyId;
    return { ...base, preKey: { keyId: Number(id), publicKey: generateSignalPubKey(pair!.public) as Uint8Array } };
  },
  reinstall() {
    Object.assign(creds, newCredentials(), { nextPreKeyId: creds.nextPreKeyId });
  },
});

export const stockParty = (jid: string): Party & { readonly repository: Stock } => {
  const creds = newCredentials();
  const keys = memoryKeys();
  const repository = makeLibSignalRepository({ creds, keys }, log, async () => undefined);
  return { ...party(jid, creds, keys, repository), repository };
};

export interface OurParty extends Party {
  readonly store: SessionCredentials;
  readonly locks: Locks;
  readonly mapping: LidMapping;
  readonly repository: Repository & Pick<Ours, 'hasOpenSession'>;
  readonly failures: unknown[];
}

/** With the repository as the driver has it. */
export const ourRepository = (
  jid: string,
  store: SessionCredentials = memoryStore(),
  deviceId = 1,
  creds: AuthenticationCreds = newCredentials(),
) => {
  const locks = new Locks();
  const mapping = makeLidMapping({ deviceId, store });
  const failures: unknown[] = [];
  const keys = addTransactionCapability(makeKeyStore({ deviceId, store, locks }), log, transactions);
  const onStoreFailure = (error: unknown): void => void failures.push(error);
  const ours = makeRepository({ deviceId, creds, keys, store, locks, lidMapping: mapping, log, onStoreFailure });
  const repository = { ...ours, ...sending(ours) };
  return { ...party(jid, creds, keys, repository), repository, store, locks, mapping, failures };
};

export const ourParty = (
  jid: string,
  options: {
    store?: SessionCredentials;
    deviceId?: number;
    creds?: AuthenticationCreds;
    onPlaintext?: OnPlaintext;
  } = {},
): OurParty => {
  const ours = ourRepository(jid, options.store, options.deviceId, options.creds);
  const repository: OurParty['repository'] = {
    ...ours.repository,
    decryptMessage: (message) => ours.repository.decryptMessage(message, options.onPlaintext),
    decryptGroupMessage: (message) => ours.repository.decryptGroupMessage(message, options.onPlaintext),
  };
  return { ...ours, repository, bundle: ours.bundle };
};

export interface Sealed {
  readonly type: 'pkmsg' | 'msg';
  readonly ciphertext: Uint8Array;
}

export const encrypt = (from: Party, to: Party, text: string): Promise<Sealed> =>
  from.repository.encryptMessage({ jid: to.jid, data: Buffer.from(text) });

export const decrypt = async (to: Party, from: Party, { type, ciphertext }: Sealed): Promise<string> =>
  Buffer.from(
    await to.repository.decryptMessage({ jid: from.jid, type, ciphertext: Buffer.from(ciphertext) }),
  ).toString();

/** `from` opens a session to `to` with a bundle from the server. */
export const open = async (from: Party, to: Party, options?: { preKey?: boolean }): Promise<void> =>
  from.repository.injectE2ESession({ jid: to.jid, session: await to.bundle(options) });

/** Opens a session and answers once, so that both ends are past the setup messages. */
export const establish = async (from: Party, to: Party): Promise<void> => {
  await open(from, to);
  await decrypt(to, from, await encrypt(from, to, 'hello'));
  await decrypt(from, to, await encrypt(to, from, 'hello back'));
};

/** The ratchet key and counter of a message: what must never be used twice. */
export const counterOf = ({ type, ciphertext }: Sealed): string => {
  const inner = type === 'pkmsg' ? fieldMapOf(ciphertext.subarray(1)).get(4) : ciphertext;
  assert.ok(inner instanceof Uint8Array);
  const message = fieldMapOf(inner.subarray(1, -8));
  const ratchetKey = message.get(1);
  assert.ok(ratchetKey instanceof Uint8Array);
  return `${Buffer.from(ratchetKey).toString('hex')}/${String(message.get(2) ?? 0)}`;
};

/** The chain and iteration of a sender key message. */
export const groupCounterOf = (ciphertext: Uint8Array): string => {
  const message = fieldMapOf(ciphertext.subarray(1, -64));
  return `${String(message.get(1))}/${String(message.get(2) ?? 0)}`;
};
