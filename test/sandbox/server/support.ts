/** Stock Baileys sockets against a hub, and a phone whose keys are published but which reads nothing. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';

import {
  type AuthenticationCreds,
  type BinaryNode,
  type ConnectionState,
  initAuthCreds,
  makeCacheableSignalKeyStore,
  makeWASocket,
  type SignalDataTypeMap,
  type SignalKeyStore,
  WA_CERT_DETAILS,
  type WASocket,
} from 'baileys';
import { pino } from 'pino';
import { calculateSignature, generateKeyPair } from 'whatsapp-rust-bridge';

import { type HubOptions, makeHub, type ServerHub } from '../../../sandbox/src/server/hub.ts';
import { listen, type Listener } from '../../../sandbox/src/server/transport/listen.ts';
import type { Account, Device, PhoneIdentity } from '../../../sandbox/src/base/types.ts';

// The engine's Signal library prints its sessions.
console.info = () => {};

const keyPair = () => {
  const { pubKey, privKey } = generateKeyPair();
  return { public: pubKey.subarray(-32), private: privKey };
};

export interface Network {
  readonly hub: ServerHub;
  readonly listener: Listener;
  readonly problems: unknown[];
  close(): Promise<void>;
}

/** The lenient network, unless told otherwise: the clients are of stock Baileys. */
export const startNetwork = async (options: Partial<HubOptions> = {}): Promise<Network> => {
  const problems: unknown[] = [];
  const onError = (error: unknown) => problems.push(error);
  const hub = makeHub({ mediaHost: () => '127.0.0.1:9', addressing: 'lenient', onError, ...options });
  const listener = await listen(hub);
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(listener.rootKey.public);
  return { hub, listener, problems, close: () => listener.close() };
};

/** Closed, and nothing went wrong in it. */
export const closeSound = async (network: Network): Promise<void> => {
  await network.close();
  assert.deepEqual(network.problems, []);
};

/** An account whose phone can be encrypted for, and acks nothing. */
export const addPhone = (hub: ServerHub, number: string, name = `Phone ${number}`): PhoneIdentity => {
  const account = hub.createAccount(number, name);
  const identity = keyPair();
  const signed = keyPair();
  const signature = calculateSignature(identity.private, Buffer.concat([Buffer.from([5]), signed.public]));
  const phone = account.devices.get(0)!;
  phone.keys = {
    registrationId: 1 + (randomBytes(2).readUInt16BE() & 0x3fff),
    identity: identity.public,
    signedPreKey: { id: 1, publicKey: signed.public, signature },
    preKeys: new Map(),
  };
  return { account, identity };
};

type Store = { readonly [T in keyof SignalDataTypeMap]: Map<string, SignalDataTypeMap[T]> };

const put = <T>(kept: Map<string, T>, entries: Readonly<Record<string, T | null>> = {}) => {
  for (const [id, value] of Object.entries(entries)) {
    if (value === null) kept.delete(id);
    else kept.set(id, value);
  }
};

const memoryKeys = (): SignalKeyStore => {
  const store: Store = {
    'pre-key': new Map(),
    session: new Map(),
    'sender-key': new Map(),
    'sender-key-memory': new Map(),
    'app-state-sync-key': new Map(),
    'app-state-sync-version': new Map(),
    'lid-mapping': new Map(),
    'device-list': new Map(),
    tctoken: new Map(),
    'identity-key': new Map(),
  };
  return {
    get: async <T extends keyof Store>(type: T, ids: string[]) => {
      const kept: Map<string, SignalDataTypeMap[T]> = store[type];
      const found: Record<string, SignalDataTypeMap[T]> = {};
      for (const id of ids) {
        const value = kept.get(id);
        if (value !== undefined) found[id] = value;
      }
      return found;
    },
    set: async (set) => {
      put(store['pre-key'], set['pre-key']);
      put(store['session'], set['session']);
      put(store['sender-key'], set['sender-key']);
      put(store['sender-key-memory'], set['sender-key-memory']);
      put(store['app-state-sync-key'], set['app-state-sync-key']);
      put(store['app-state-sync-version'], set['app-state-sync-version']);
      put(store['lid-mapping'], set['lid-mapping']);
      put(store['device-list'], set['device-list']);
      put(store['tctoken'], set['tctoken']);
      put(store['identity-key'], set['identity-key']);
    },
  };
};

const log = pino({ level: 'silent' });

export interface Companion {
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
}

export const newCompanion = (): Companion => ({
  creds: initAuthCreds(),
  keys: makeCacheableSignalKeyStore(memoryKeys(), log),
});

export const connect = (network: Network, companion: Companion, options: object = {}): WASocket => {
  const socket = makeWASocket({
    waWebSocketUrl: network.listener.url,
    auth: { creds: companion.creds, keys: companion.keys },
    logger: log,
    markOnlineOnConnect: true,
    emitOwnEvents: false,
    shouldSyncHistoryMessage: () => false,
    ...options,
  });
  socket.ev.on('creds.update', (update) => Object.assign(companion.creds, update));
  return socket;
};

const statusOf = (error: Error | undefined): number | undefined => {
  const output: unknown = error !== undefined && 'output' in error ? error.output : undefined;
  if (typeof output !== 'object' || output === null || !('statusCode' in output)) return undefined;
  return typeof output.statusCode === 'number' ? output.statusCode : undefined;
};

/** Resolves with the first update that fits. Fails where the connection ends before: it would be waited for for ever. */
export const until = (
  socket: WASocket,
  fits: (update: Partial<ConnectionState>) => boolean,
): Promise<Partial<ConnectionState>> =>
  new Promise((resolve, reject) => {
    const look = (update: Partial<ConnectionState>) => {
      const fit = fits(update);
      if (!fit && update.connection !== 'close') return;
      socket.ev.off('connection.update', look);
      if (fit) resolve(update);
      else reject(new Error(`the connection ended with ${statusOf(update.lastDisconnect?.error)}`));
    };
    socket.ev.on('connection.update', look);
  });

/** The status with which the connection ends. */
export const closed = async (socket: WASocket): Promise<number | undefined> => {
  const { lastDisconnect } = await until(socket, ({ connection }) => connection === 'close');
  return statusOf(lastDisconnect?.error);
};

export const opened = (socket: WASocket) => until(socket, ({ connection }) => connection === 'open');

/** Links by QR and answers the device; the connection has ended with 515. */
export const link = async (network: Network, phone: PhoneIdentity, companion: Companion): Promise<Device> => {
  const socket = connect(network, companion);
  const ended = closed(socket);
  const { qr } = await until(socket, (update) => update.qr !== undefined);
  const device = await network.hub.pairByQr(phone, qr!);
  const status = await ended;
  if (status !== 515) throw new Error(`the connection ended with ${status}`);
  return device;
};

export interface Linked {
  readonly phone: PhoneIdentity;
  readonly account: Account;
  readonly companion: Companion;
  readonly device: Device;
  readonly socket: WASocket;
}

/** A linked and logged in companion of a new account. */
export const linkedSocket = async (network: Network, number: string, name?: string): Promise<Linked> => {
  const phone = addPhone(network.hub, number, name);
  const companion = newCompanion();
  const device = await link(network, phone, companion);
  const socket = connect(network, companion);
  await opened(socket);
  return { phone, account: phone.account, companion, device, socket };
};

/** The next stanza from the server that fits. */
export const stanza = (socket: WASocket, event: string): Promise<BinaryNode> =>
  new Promise((resolve) => {
    socket.ws.once(event, resolve);
  });

/** Waits for a condition, without a fixed sleep. */
export const eventually = async (holds: () => boolean, what: string): Promise<void> => {
  const deadline = Date.now() + 30_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
