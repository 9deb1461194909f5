/** A stock Baileys socket linked to a phone of the sandbox, for tests. */
import { Agent } from 'node:https';
import makeWASocket, {
  type AuthenticationCreds,
  initAuthCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  WA_CERT_DETAILS,
  type WAMessage,
  type WASocket,
} from 'baileys';
import { pino } from 'pino';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

const memoryKeys = () => {
  const data = new Map<string, unknown>();
  return {
    get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) =>
      Object.fromEntries(
        ids.flatMap((id) => (data.has(`${type}/${id}`) ? [[id, data.get(`${type}/${id}`) as SignalDataTypeMap[T]]] : [])),
      ) as { [id: string]: SignalDataTypeMap[T] },
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

/** Waits until `look` finds something. */
export const eventually = async <T>(look: () => T | null | undefined | false, ms = 10_000): Promise<T> => {
  const deadline = Date.now() + ms;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`it did not happen within ${ms} ms: ${look.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

export class Companion implements AsyncDisposable {
  readonly creds: AuthenticationCreds = initAuthCreds();
  readonly #keys = memoryKeys();
  readonly #sandbox: Sandbox;
  readonly messages: WAMessage[] = [];
  readonly agent: Agent;
  socket!: WASocket;
  qr: string | null = null;
  isOpen = false;
  closed: unknown = null;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.agent = new Agent({ ca: sandbox.mediaCa });
  }

  /** Connects, and again after the restart that follows a pairing. */
  connect(): void {
    Object.assign(WA_CERT_DETAILS, { PUBLIC_KEY: Buffer.from(this.#sandbox.rootKey, 'hex') });
    const socket = makeWASocket({
      waWebSocketUrl: this.#sandbox.socketUrl,
      auth: { creds: this.creds, keys: this.#keys },
      logger: pino({ level: process.env['COMPANION_LOG'] ?? 'silent' }),
      fetchAgent: this.agent,
      getMessage: async () => undefined,
    });
    this.socket = socket;
    socket.ev.on('creds.update', (update) => Object.assign(this.creds, update));
    socket.ev.on('messages.upsert', ({ messages }) => this.messages.push(...messages));
    socket.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
      if (qr) this.qr = qr;
      if (connection === 'open') this.isOpen = true;
      if (connection !== 'close') return;
      this.isOpen = false;
      const status = (lastDisconnect?.error as { output?: { statusCode?: number } } | undefined)?.output?.statusCode;
      if (status === 515) this.connect();
      else this.closed = status;
    });
  }

  async link(scan: (qr: string) => Promise<unknown>): Promise<void> {
    this.connect();
    await scan(await eventually(() => this.qr));
    await eventually(() => this.isOpen);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.socket?.end(undefined);
    this.agent.destroy();
  }
}
