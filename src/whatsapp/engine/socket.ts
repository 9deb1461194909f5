/** One Baileys socket, set up the way this service needs it. */
import {
  type AuthenticationCreds,
  Browsers,
  Curve,
  type GroupMetadata,
  makeWASocket,
  proto,
  type SignalDataSet,
  type SocketConfig,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys';
import { WebSocket } from 'ws';
import type { MessageStore } from '../../domain/stores.ts';
import type { Logger } from '../../log.ts';
import { engineCache, forEngine } from './bounded-cache.ts';
import { bundledRevision } from '../login/client-version/bundled.ts';
import type { DeviceMemory } from '../login/device-memory.ts';
import type { Endpoint } from '../login/endpoint.ts';
import { engineLog } from './engine-log.ts';
import { Line } from './line/line.ts';
import { lighten } from './retry-manager.ts';
import { SendRefused, noSuchChat, notAMember } from '../send/server-ack.ts';
import type { SessionStore } from '../login/session-store.ts';
import { makeKeyStore } from '../signal/key-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { makeLocks } from '../signal/locks.ts';
import { makeRepository, type OnPlaintext, type OnUndecryptable, type Repository } from '../signal/repository.ts';

export interface SocketOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly lidMapping: LidMapping;
  readonly endpoint: Endpoint;
  /** The bundled one where it is not given. */
  readonly clientRevision?: number | undefined;
  readonly onPlaintext: OnPlaintext;
  readonly onUndecryptable: OnUndecryptable;
  /** Messages that their sender is not asked for any more. */
  readonly isSpent: (messageId: string) => boolean;
  /** Called while the socket is made. */
  readonly onRepository: (repository: Repository) => void;
  /** Told of the keys that Baileys sets. */
  readonly onKeysSet: (data: SignalDataSet) => void;
  readonly onStoreFailure: (error: unknown) => void;
  readonly log: Logger;
}

export const browser = Browsers.macOS('Chrome');

const hourMs = 3_600_000;
/** The longest that a timer takes. */
const neverMs = 2 ** 31 - 1;
/** How long a closing handshake may take before the connection is cut. */
const closeGraceMs = 1_500;

const connectionOf = (sock: WASocket): WebSocket | null => {
  const connection: unknown = Reflect.get(sock.ws, 'socket');
  return connection instanceof WebSocket ? connection : null;
};

/** Baileys waits half a minute for the closing handshake of a dead link; `close` is what it calls before. */
const makeSignal = (options: SocketOptions, locks: ReturnType<typeof makeLocks>, onClose: () => void) => {
  const make = makeRepository({ ...options, locks });
  const signal: SocketConfig['makeSignalRepository'] = (...given) => {
    const repository = make(...given);
    options.onRepository(repository);
    const { close } = repository;
    repository.close = () => {
      close?.();
      setTimeout(onClose, closeGraceMs).unref();
    };
    return repository;
  };
  return signal;
};

/** Retries are answered from the store, also after a restart of the service. */
const storedMessage =
  ({ messages, deviceId }: SocketOptions): SocketConfig['getMessage'] =>
  async ({ id }) => {
    const record = id ? await messages.find(deviceId, id, undefined, true) : null;
    // A deleted message is not sent again, whoever asks for it (Baileys #2820, 2026).
    if (record === null || record.deletedAt !== null) return undefined;
    return record.direction === 'out' && record.content !== null ? proto.Message.decode(record.content) : undefined;
  };

/** What the network says of a group that there is not, or not for this account: nothing was sent to it. */
const groupRefusal = (error: unknown): SendRefused | null => {
  const code = error instanceof Error && 'data' in error ? String(error.data) : '';
  return code === noSuchChat || code === notAMember ? new SendRefused(code) : null;
};

/** Out of memory, or fetched. Throws SendRefused for a group that nobody has, or that the account is not in. */
export const groupMetadata =
  (memory: Pick<DeviceMemory, 'groups'>, fetch: (jid: string) => Promise<GroupMetadata>) =>
  async (jid: string): Promise<GroupMetadata> => {
    const known = memory.groups.get(jid);
    if (known !== undefined) return known;
    const metadata = await fetch(jid).catch((error: unknown) => {
      throw groupRefusal(error) ?? error;
    });
    memory.groups.set(jid, metadata);
    return metadata;
  };

const noKey = { public: Buffer.alloc(32), private: Buffer.alloc(32) };

/** The engine makes a pair of keys for each socket, for a handshake that is ours (`line`): without it. */
const withoutHandshakeKeys = <T>(make: () => T): T => {
  const { generateKeyPair } = Curve;
  Curve.generateKeyPair = () => noKey;
  try {
    return make();
  } finally {
    Curve.generateKeyPair = generateKeyPair;
  }
};

export interface Opened {
  readonly sock: WASocket;
  readonly line: Line;
}

export const openSocket = (options: SocketOptions): Opened => {
  const { deviceId, creds, store, memory, endpoint } = options;
  const locks = makeLocks();
  const config: UserFacingSocketConfig = {
    waWebSocketUrl: endpoint.socketUrl,
    version: [2, 3000, options.clientRevision ?? bundledRevision.revision],
    ...(endpoint.uploadAgent && { fetchAgent: endpoint.uploadAgent }),
    options: Object.assign<RequestInit, object>({}, endpoint.sandbox ? { dispatcher: endpoint.dispatcher } : {}),
    auth: { creds, keys: makeKeyStore({ deviceId, store, locks, onSet: options.onKeysSet }) },
    makeSignalRepository: makeSignal(options, locks, () => cutLine(sock)),
    logger: engineLog(options.log),
    browser,
    emitOwnEvents: false,
    syncFullHistory: false,
    // `history/` reads the chunks for what they tell of people; Baileys would hold messages back until they are there.
    shouldSyncHistoryMessage: () => false,
    // Online, the account's phone would be silent about new messages.
    markOnlineOnConnect: false,
    generateHighQualityLinkPreview: false,
    defaultQueryTimeoutMs: 20_000,
    // `login.ts` asks what it asks.
    fireInitQueries: false,
    // The probe sees to that; with a limit here Baileys makes a timer and two stack traces for each stanza that it sends.
    connectTimeoutMs: 0,
    // Ours is the probe: with two of them every idle connection would be asked twice.
    keepAliveIntervalMs: neverMs,
    getMessage: storedMessage(options),
    // A stanza that cannot be decrypted holds up none of those behind it.
    retryRequestDelayMs: 0,
    cachedGroupMetadata: groupMetadata(memory, (jid) => sock.groupMetadata(jid)),
    userDevicesCache: forEngine(memory.userDevices),
    msgRetryCounterCache: engineCache(500, hourMs),
    callOfferCache: engineCache(20, hourMs),
    placeholderResendCache: engineCache(100, hourMs),
    enableRecentMessageCache: true,
  };
  const sock: WASocket = withoutHandshakeKeys(() => makeWASocket(config));
  // With each change of the credentials Baileys sends a presence without a type, as of an account that is online.
  sock.ev.removeAllListeners('creds.update');
  sock.ev.on('creds.update', (update) => void Object.assign(creds, update));
  if (sock.messageRetryManager) lighten(sock.messageRetryManager, options.isSpent);
  const connection = connectionOf(sock);
  if (connection === null) throw new Error('Baileys connects in another way than this version is made for');
  const line = new Line({ sock, creds, rootKey: endpoint.rootKey, log: options.log }, connection);
  line.attach();
  return { sock, line };
};

/** The network's end sees it at once. */
export const cutLine = (sock: WASocket): void => connectionOf(sock)?.terminate();

/**
 * Ends the socket as if the network had done it: what waits for an answer fails at once, where Baileys' own `end` leaves
 * it waiting until its time is over.
 */
export const hangUp = (sock: WASocket): void => {
  sock.ws.emit('close');
};
