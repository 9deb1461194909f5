/** The clients that are compared: stock Baileys, and Handset. Both are companions of Ada's phone. */
import { type Sandbox, startSandbox } from '../../sandbox/src/sandbox.ts';
import { makeKeyPair } from '../../sandbox/src/server/transport/noise.ts';
import type { Recorded } from '../../sandbox/src/base/recorder.ts';
import type { WASocket } from 'baileys';
import { Companion, type Place } from '../sandbox/companion.ts';
import { INITIAL_PREKEY_COUNT } from '../../src/whatsapp/library/protocol.ts';
import { startInstallation } from '../support/installation.ts';
import { type Phones, phonesOf } from '../support/phones.ts';
import { eventually } from '../support/wait.ts';
import { ada, untilOpen } from '../flows/steps.ts';
import type { Names } from './lines.ts';

export type Addressing = 'strict' | 'lenient';

/** A call of the API about the device of Handset; resolves to the id of the message that it sent, or of the group that it made. */
export type Call = (method: 'get' | 'post' | 'put' | 'delete', path: string, body?: object) => Promise<string>;

/** One act, as each of the two clients does it. */
export interface Act {
  readonly stock: (socket: WASocket) => Promise<unknown>;
  readonly ours: (call: Call) => Promise<unknown>;
}

/** One client on a network of its own, and what it can be asked to do. */
export interface Client extends AsyncDisposable {
  readonly phones: Phones;
  readonly recorded: readonly Recorded[];
  link(): Promise<void>;
  linkByCode(): Promise<void>;
  /** Ends the connection. */
  disconnect(): Promise<void>;
  /** Logs in again, and waits until it is open. */
  connect(): Promise<void>;
  sendText(to: string, text: string): Promise<void>;
  /** Looks the number up before. */
  sendToNumber(number: string, text: string): Promise<void>;
  sendImage(to: string, image: Buffer): Promise<void>;
  act(act: Act): Promise<unknown>;
  logOut(): Promise<void>;
  /** From the next login on at the latest. */
  appearOnline(): Promise<void>;
  /** Links another stock client to the phone of `number`. */
  linkOther(number: string): Promise<void>;
}

export type Start = (addressing: Addressing) => Promise<Client>;

/** One for all networks: stock Baileys keeps the key that it trusts for all its connections together. */
const rootKey = makeKeyPair();

/** It goes offline again: what comes for it waits. */
const linkOther = async (place: Place, phones: Phones, number: string): Promise<void> => {
  await using other = new Companion(place);
  await other.link((qr) => phones.scan(number, qr));
};

class StockClient implements Client {
  readonly phones: Phones;
  readonly recorded: Recorded[];
  readonly #sandbox: Sandbox;
  readonly #companion: Companion;

  constructor(sandbox: Sandbox, recorded: Recorded[]) {
    this.#sandbox = sandbox;
    this.recorded = recorded;
    this.phones = phonesOf(sandbox.controlUrl);
    this.#companion = new Companion(sandbox);
  }

  link(): Promise<void> {
    return this.#companion.link((qr) => this.phones.scan(ada, qr));
  }

  linkByCode(): Promise<void> {
    return this.#companion.linkByCode(ada, (code) => this.phones.enterCode(ada, code));
  }

  async disconnect(): Promise<void> {
    await this.#companion.end();
    await eventually('the end of the connection', () => !this.#companion.isOpen);
  }

  async connect(): Promise<void> {
    this.#companion.connect();
    await eventually('an open connection', () => this.#companion.isOpen);
  }

  async sendText(to: string, text: string): Promise<void> {
    await this.#companion.socket.sendMessage(to, { text });
  }

  async sendToNumber(number: string, text: string): Promise<void> {
    const [found] = (await this.#companion.socket.onWhatsApp(number)) ?? [];
    if (found === undefined) throw new Error(`nobody has ${number}`);
    await this.sendText(found.jid, text);
  }

  async sendImage(to: string, image: Buffer): Promise<void> {
    await this.#companion.socket.sendMessage(to, { image });
  }

  act({ stock }: Act): Promise<unknown> {
    return stock(this.#companion.socket);
  }

  async logOut(): Promise<void> {
    await this.#companion.socket.logout();
  }

  /** It does so by itself. */
  async appearOnline(): Promise<void> {}

  linkOther(number: string): Promise<void> {
    return linkOther(this.#sandbox, this.phones, number);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#companion[Symbol.asyncDispose]();
    await this.#sandbox.close();
  }
}

/** Stock Baileys, the version that package.json pins. */
export const startStock: Start = async (addressing) => {
  const recorded: Recorded[] = [];
  const sandbox = await startSandbox({ addressing, rootKey, record: (entry) => recorded.push(entry) });
  return new StockClient(sandbox, recorded);
};

export const startHandset: Start = async (addressing) => {
  const recorded: Recorded[] = [];
  const installation = await startInstallation({}, undefined, undefined, {
    addressing,
    rootKey,
    firstPreKeys: INITIAL_PREKEY_COUNT,
    record: (entry) => recorded.push(entry),
  });
  const { phones, api } = installation;
  let device = 0;
  const call: Call = async (method, path, body) => {
    const answer = await (method === 'get' || method === 'delete' ? api[method](path) : api[method](path, body));
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.messageId ?? answer.body.group?.jid;
  };
  const done = async (...given: Parameters<Call>): Promise<void> => void (await call(...given));
  const create = async (body: object): Promise<Record<string, string>> => {
    const { body: created } = await api.post('/devices', body);
    device = created.device.id as number;
    return { ...created.device, pairingCode: created.pairingCode };
  };
  return {
    phones,
    recorded,
    async link() {
      const { qr } = await create({});
      await phones.scan(ada, qr!);
      await untilOpen(installation, device);
    },
    async linkByCode() {
      const { pairingCode } = await create({ phoneNumber: ada });
      await phones.enterCode(ada, pairingCode!);
      await untilOpen(installation, device);
    },
    async disconnect() {
      await call('put', `/devices/${device}`, { subscription_status: 'inactive' });
    },
    act: ({ ours }) => ours((method, path, body) => call(method, `/devices/${device}${path}`, body)),
    async connect() {
      await call('put', `/devices/${device}`, { subscription_status: 'active' });
      await untilOpen(installation, device);
    },
    sendText: (to, text) => done('post', `/devices/${device}/messages/text`, { to, message: text }),
    sendToNumber: (toNumber, text) => done('post', `/devices/${device}/messages/text`, { toNumber, message: text }),
    sendImage: (to, image) =>
      done('post', `/devices/${device}/messages/media`, { to, mediaBase64: image.toString('base64') }),
    async linkOther(number) {
      const place = await phones.request<Place>('GET', '');
      await linkOther(place, phones, number);
    },
    appearOnline: () => done('put', `/devices/${device}/settings`, { online: true }),
    logOut: () => done('post', `/devices/${device}/disconnect`, {}),
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
};

/** Names for everybody whom the sandbox has. */
export const namesIn = async (phones: Phones): Promise<Names> => {
  const { phones: all } = await phones.request<{ phones: { number: string; lid: string; name: string }[] }>(
    'GET',
    '/phones',
  );
  return new Map(
    all.flatMap(({ number, lid, name }): [string, string][] => [
      [number, name.toLowerCase()],
      [lid.split('@')[0]!, `${name.toLowerCase()}-lid`],
    ]),
  );
};
