/** One Baileys socket, set up the way this service needs it. */
import {
  type SocketConfig,
  type AuthenticationCreds,
  Browsers,
  type CacheStore,
  makeWASocket,
  type SignalKeyStore,
  type UserFacingSocketConfig,
  type WASocket,
} from 'baileys';
import type { Logger } from '../../../log.ts';
import type { Agent as HttpsAgent } from 'node:https';
import { WebSocket } from 'ws';
import { engineCache } from '../bounded-cache.ts';
import { Line, type LineOptions, type Tap } from './line.ts';
import { lighten } from '../retry-manager.ts';

// Everything that Baileys says may hold private data, so nothing of it comes above debug.
type ILogger = SocketConfig['logger'];
type Say = (context: unknown, message?: string) => void;

const silent: Say = () => {};

/** `level` decides what Baileys prepares for the log: whole stanzas as text at `trace`. */
const levelOf = (log: Logger): string => {
  if (log.isLevelEnabled('trace')) return 'trace';
  return log.isLevelEnabled('debug') ? 'debug' : 'silent';
};

export const engineLog = (log: Logger): ILogger => {
  const level = levelOf(log);
  const debug: Say =
    level === 'silent'
      ? silent
      : (context, message) => {
          if (typeof context === 'string') log.debug({ engine: true, more: message }, context);
          else log.debug({ engine: true, context }, message);
        };
  const trace: Say = level === 'trace' ? (context, message) => log.trace({ engine: true, context }, message) : silent;
  const logger: ILogger = {
    level,
    child: () => logger,
    trace,
    debug,
    info: debug,
    warn: debug,
    error: debug,
  };
  return logger;
};

export interface SocketOptions {
  readonly deviceId?: number | undefined;
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly endpoint: {
    readonly socketUrl: string;
    readonly rootKey: Uint8Array;
    readonly socketAgent?: HttpsAgent;
    readonly uploadAgent: HttpsAgent | undefined;
    readonly dispatcher: object;
    readonly sandbox: boolean;
  };
  readonly clientRevision: number;
  readonly loginPayload: LineOptions['loginPayload'];
  /** Whether the account presents itself as online. */
  readonly online: boolean;
  /** The phone is asked for all of its history when the device is linked. */
  readonly fullHistory?: boolean;
  readonly tap: Tap;
  readonly makeSignalRepository: SocketConfig['makeSignalRepository'];
  readonly getMessage: SocketConfig['getMessage'];
  readonly userDevices: CacheStore;
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

/** Baileys waits half a minute for the closing handshake of a dead link; the repository's `close` is what it calls before. */
const cutAfterClose =
  (make: SocketConfig['makeSignalRepository'], cut: () => void): SocketConfig['makeSignalRepository'] =>
  (...given) => {
    const repository = make(...given);
    const { close } = repository;
    repository.close = () => {
      close?.();
      setTimeout(cut, closeGraceMs).unref();
    };
    return repository;
  };

export interface Opened {
  readonly sock: WASocket;
  readonly line: Line;
}

export const openSocket = (options: SocketOptions): Opened => {
  const { creds, keys, endpoint } = options;
  const { socketAgent } = endpoint;
  const isDirect = socketAgent === undefined && !endpoint.sandbox;
  const config: UserFacingSocketConfig = {
    waWebSocketUrl: endpoint.socketUrl,
    version: [2, 3000, options.clientRevision],
    ...(endpoint.uploadAgent && { fetchAgent: endpoint.uploadAgent }),
    ...(socketAgent && { agent: socketAgent }),
    options: Object.assign<RequestInit, object>({}, isDirect ? {} : { dispatcher: endpoint.dispatcher }),
    auth: { creds, keys },
    makeSignalRepository: cutAfterClose(options.makeSignalRepository, () => cutLine(sock)),
    logger: engineLog(options.log),
    browser,
    emitOwnEvents: false,
    syncFullHistory: options.fullHistory === true,
    // `history/` reads the chunks for what they tell of people; Baileys would hold messages back until they are there.
    shouldSyncHistoryMessage: () => false,
    // Online, the account's phone may be silent about new messages.
    markOnlineOnConnect: options.online,
    generateHighQualityLinkPreview: false,
    defaultQueryTimeoutMs: 20_000,
    // `login.ts` asks what it asks.
    fireInitQueries: false,
    // The probe sees to that; with a limit here Baileys makes a timer and two stack traces for each stanza that it sends.
    connectTimeoutMs: 0,
    // Ours is the probe: with two of them every idle connection would be asked twice.
    keepAliveIntervalMs: neverMs,
    getMessage: options.getMessage,
    // A stanza that cannot be decrypted holds up none of those behind it.
    retryRequestDelayMs: 0,
    userDevicesCache: options.userDevices,
    msgRetryCounterCache: engineCache(500, hourMs),
    callOfferCache: engineCache(20, hourMs),
    placeholderResendCache: engineCache(100, hourMs),
    enableRecentMessageCache: true,
  };
  const sock: WASocket = makeWASocket(config);
  // With each change of the credentials Baileys sends a presence without a type, as of an account that is online.
  sock.ev.removeAllListeners('creds.update');
  sock.ev.on('creds.update', (update) => void Object.assign(creds, update));
  if (sock.messageRetryManager) lighten(sock.messageRetryManager);
  const connection = connectionOf(sock);
  if (connection === null) throw new Error('Baileys connects in an unexpected way');
  const { deviceId, tap, log, loginPayload } = options;
  const line = new Line({ deviceId, sock, creds, rootKey: endpoint.rootKey, loginPayload, tap, log }, connection);
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
