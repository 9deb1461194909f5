/** The driver before it is loaded, which takes as long as all else at a start: the service is ready without it, and what needs it waits. */
import type { Jid } from '../domain/jid.ts';
import type { MessageRecord, OutgoingImage, OutgoingMessage, SentMessage } from '../domain/message.ts';
import type { ConnectOptions, Network, Session, SessionListener } from '../domain/network.ts';
import type { PasskeyCredential } from '../domain/passkey.ts';

/** A session that was wanted before the driver was there. Calls keep their order. */
class LateSession implements Session {
  readonly deviceId: number;
  readonly #opening: Promise<Session>;

  constructor(deviceId: number, opening: Promise<Session>) {
    this.deviceId = deviceId;
    this.#opening = opening;
  }

  async lookUp(number: string): Promise<Jid | null> {
    return (await this.#opening).lookUp(number);
  }

  async send(message: OutgoingMessage, onTaken?: () => void): Promise<SentMessage> {
    return (await this.#opening).send(message, onTaken);
  }

  async downloadMedia(message: MessageRecord): Promise<AsyncIterable<Uint8Array>> {
    return (await this.#opening).downloadMedia(message);
  }

  async answerPasskey(credential: PasskeyCredential): Promise<void> {
    await (await this.#opening).answerPasskey(credential);
  }

  async confirmPasskey(): Promise<void> {
    await (await this.#opening).confirmPasskey();
  }

  async logout(): Promise<void> {
    await (await this.#opening).logout();
  }

  async close(): Promise<void> {
    await (await this.#opening).close();
  }

  cut(): void {
    void this.#opening.then((session) => session.cut());
  }
}

/** Message ids need no driver. */
export interface Early {
  readonly sandbox: boolean;
  readonly newMessageId: (elsewhere?: boolean) => string;
}

export class LateNetwork implements Network {
  readonly sandbox: boolean;
  readonly newMessageId: (elsewhere?: boolean) => string;
  readonly #loader: () => Promise<Network>;
  #loading: Promise<Network> | null = null;
  #loaded: Network | null = null;

  constructor({ sandbox, newMessageId }: Early, loader: () => Promise<Network>) {
    this.sandbox = sandbox;
    this.newMessageId = newMessageId;
    this.#loader = loader;
  }

  connect(options: ConnectOptions, listener: SessionListener): Session {
    if (this.#loaded !== null) return this.#loaded.connect(options, listener);
    return new LateSession(
      options.deviceId,
      this.load().then((network) => network.connect(options, listener)),
    );
  }

  async prepareImage(bytes: Uint8Array, caption: string | null, signal?: AbortSignal): Promise<OutgoingImage> {
    return (await this.load()).prepareImage(bytes, caption, signal);
  }

  /** At once, unless it is loaded or being loaded. */
  load(): Promise<Network> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** When it is no longer being loaded. */
  async settled(): Promise<void> {
    await this.#loading;
  }

  async #load(): Promise<Network> {
    this.#loaded = await this.#loader();
    return this.#loaded;
  }
}
