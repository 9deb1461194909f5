/** A stock Baileys socket linked to a phone of the sandbox, for tests. */
import { Agent } from 'node:https';
import * as baileys from 'baileys';
import type {
  AuthenticationCreds,
  AuthenticationState,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
  SocketConfig,
  WAMessage,
  WASocket,
} from 'baileys';
import { pino } from 'pino';
import { Agent as UndiciAgent } from 'undici';
import { eventually } from '../support/wait.ts';
import type { Sandbox } from '../../sandbox/src/sandbox.ts';

/** A version of Baileys: the pinned one, or an independent one. */
export type Engine = Pick<
  typeof baileys,
  'downloadMediaMessage' | 'initAuthCreds' | 'makeWASocket' | 'WA_CERT_DETAILS'
>;

type Settings = Pick<Partial<SocketConfig>, 'qrTimeout' | 'markOnlineOnConnect' | 'version' | 'getMessage'>;

/** All that an independent client has to be told of the sandbox. */
export type Place = Pick<Sandbox, 'socketUrl' | 'rootKey' | 'mediaCa'>;

const memoryKeys = () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- each type of key has a type of its own
  const data = new Map<string, any>();
  return {
    forget(prefix: string): void {
      for (const key of data.keys()) if (key.startsWith(prefix)) data.delete(key);
    },
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) if (data.has(`${type}/${id}`)) found[id] = data.get(`${type}/${id}`);
      return found;
    },
    set: async (changes: SignalDataSet) => {
      for (const [type, entries] of Object.entries(changes)) {
        for (const [id, value] of Object.entries(entries ?? {})) {
          if (value === null || value === undefined) data.delete(`${type}/${id}`);
          else data.set(`${type}/${id}`, value);
        }
      }
    },
  };
};

// The engine's Signal library prints its sessions.
console.info = () => undefined;

// The engine leaves timers of 30 s behind, which would keep a test's process alive after its end.
const { setTimeout: plainTimeout } = globalThis;
globalThis.setTimeout = Object.assign((run: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => {
  const timer = plainTimeout(run, ms, ...given);
  return (ms ?? 0) >= 10_000 ? timer.unref() : timer;
}, plainTimeout);

export class Companion implements AsyncDisposable {
  readonly creds: AuthenticationCreds;
  readonly #engine: Engine;
  readonly #keys: SignalKeyStore & { readonly forget: (prefix: string) => void };
  readonly #sandbox: Place;
  readonly #more: Settings;
  readonly messages: WAMessage[] = [];
  readonly agent: Agent;
  socket!: WASocket;
  qr: string | null = null;
  isOpen = false;
  closed: number | null = null;
  /** Called with the socket of each connection, before it says anything. */
  onConnect: (socket: WASocket) => void = () => undefined;

  /** With a state of its own, or one that is kept elsewhere. */
  constructor(sandbox: Place, more: Settings = {}, engine: Engine = baileys, state?: AuthenticationState) {
    this.#engine = engine;
    this.creds = state?.creds ?? engine.initAuthCreds();
    this.#keys = state === undefined ? memoryKeys() : { forget: () => undefined, ...state.keys };
    this.#sandbox = sandbox;
    this.#more = more;
    this.agent = new Agent({ ca: sandbox.mediaCa });
  }

  /** Connects, and again after the restart that follows a pairing. */
  connect(): void {
    Object.assign(this.#engine.WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(this.#sandbox.rootKey, 'hex') });
    const socket = this.#engine.makeWASocket({
      waWebSocketUrl: this.#sandbox.socketUrl,
      auth: { creds: this.creds, keys: this.#keys },
      logger: pino({ level: process.env['COMPANION_LOG'] ?? 'silent' }),
      fetchAgent: this.agent,
      getMessage: async () => undefined,
      ...this.#more,
    });
    this.socket = socket;
    this.onConnect(socket);
    socket.ev.on('creds.update', (update) => Object.assign(this.creds, update));
    socket.ev.on('messages.upsert', ({ messages }) => this.messages.push(...messages));
    socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
      if (qr) this.qr = qr;
      if (connection === 'open') this.isOpen = true;
      if (connection !== 'close') return;
      this.isOpen = false;
      const error = lastDisconnect?.error;
      const status = error && 'output' in error ? error.output.statusCode : null;
      if (status === 515) this.connect();
      else this.closed = status;
    });
  }

  async link(scan: (qr: string) => Promise<unknown>): Promise<void> {
    this.connect();
    await scan(await eventually('a QR', () => this.qr));
    await eventually('an open connection', () => this.isOpen);
  }

  /** Links by a pairing code, as the clients of the network ask for it: once there is a QR. */
  async linkByCode(number: string, enter: (code: string) => Promise<unknown>): Promise<void> {
    this.connect();
    await eventually('a QR', () => this.qr);
    await enter(await this.socket.requestPairingCode(number));
    await eventually('an open connection', () => this.isOpen);
  }

  /** Ends the connection and logs in again with the same credentials. */
  async reconnect(): Promise<void> {
    await this.end();
    await eventually('the end of the connection', () => !this.isOpen);
    this.connect();
    await eventually('an open connection', () => this.isOpen);
  }

  /** Waits for a message that came in, by its id. */
  received(id: string): Promise<WAMessage> {
    return eventually(`message ${id}`, () => this.messages.find(({ key, message }) => key.id === id && message));
  }

  /** The decrypted file of a message, over HTTPS from the media host. */
  async download(message: WAMessage): Promise<Buffer> {
    // The engine downloads with fetch, which trusts by dispatcher.
    const dispatcher = new UndiciAgent({ connect: { ca: this.#sandbox.mediaCa } });
    try {
      const options = { options: Object.assign<RequestInit, object>({}, { dispatcher }) };
      const context = {
        logger: pino({ level: 'silent' }),
        reuploadRequest: (again: WAMessage) => this.socket.updateMediaMessage(again),
      };
      return await this.#engine.downloadMediaMessage(message, 'buffer', options, context);
    } finally {
      await dispatcher.close();
    }
  }

  async forgetSessions(): Promise<void> {
    this.#keys.forget('session/');
  }

  /** Ends the connection without logging out. */
  async end(): Promise<void> {
    await this.socket?.end(undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    this.agent.destroy();
  }
}
