/** A session that lives in another thread, as the service uses it. */
import type { Jid } from '../domain/jid.ts';
import type { MessageRecord, OutgoingMessage, SentMessage } from '../domain/message.ts';
import type { Session } from '../domain/network.ts';
import type { PasskeyCredential } from '../domain/passkey.ts';
import { deviceNotConnected } from '../errors.ts';
import { BoundedCache } from '../whatsapp/bounded-cache.ts';
import type { SessionName, ThreadCalls } from './contract.ts';
import type { Peer } from './peer.ts';
import { readStream } from './streams.ts';

/** Numbers of those who are written to often; the thread remembers more, and longer. */
const maxAccounts = 500;
const accountsMs = 3_600_000;

export interface RemoteParts {
  readonly name: SessionName;
  readonly thread: Peer<ThreadCalls>;
  /** Whether nobody has tried to send it; true once. */
  readonly isNew: (messageId: string) => boolean;
}

export class RemoteSession implements Session {
  readonly deviceId: number;
  readonly #parts: RemoteParts;
  readonly #accounts = new BoundedCache<Jid>(maxAccounts, accountsMs);
  readonly #over = Promise.withResolvers<void>();
  #ended = false;

  constructor(parts: RemoteParts) {
    this.deviceId = parts.name.deviceId;
    this.#parts = parts;
  }

  /** It is closed, or its thread is gone. */
  end(): void {
    this.#ended = true;
    this.#over.resolve();
  }

  async lookUp(number: string): Promise<Jid | null> {
    const known = this.#accounts.get(number);
    if (known !== undefined) return known;
    const jid = await this.#thread.call('lookUp', this.#parts.name, number);
    if (jid !== null) this.#accounts.set(number, jid);
    return jid;
  }

  async send(message: OutgoingMessage, onTaken?: () => void): Promise<SentMessage> {
    const { name, isNew } = this.#parts;
    const sending = this.#thread.call('send', name, message, isNew(message.id));
    // Calls of one port keep their order, and so does the thread.
    onTaken?.();
    return { record: await sending };
  }

  async downloadMedia(message: MessageRecord): Promise<AsyncIterable<Uint8Array>> {
    const thread = this.#thread;
    return readStream(thread, await thread.call('downloadMedia', this.#parts.name, message));
  }

  async answerPasskey(credential: PasskeyCredential): Promise<void> {
    await this.#thread.call('answerPasskey', this.#parts.name, credential);
  }

  async confirmPasskey(): Promise<void> {
    await this.#thread.call('confirmPasskey', this.#parts.name);
  }

  async logout(): Promise<void> {
    await this.#thread.call('logout', this.#parts.name);
  }

  close(): Promise<void> {
    if (!this.#ended) this.#parts.thread.tell('close', this.#parts.name);
    return this.#over.promise;
  }

  cut(): void {
    if (this.#ended) return;
    this.#parts.thread.tell('cut', this.#parts.name);
    this.#parts.thread.flush();
  }

  /** Throws DeviceNotConnected when it has ended. */
  get #thread(): Peer<ThreadCalls> {
    if (this.#ended) throw deviceNotConnected(this.deviceId);
    return this.#parts.thread;
  }
}
