/** The network port over threads: each device lives in one of them, and comes back to it as long as that one lives. */
import type { ConnectOptions, Network } from '../domain/network.ts';
import { ImageProcess } from '../whatsapp/image-process.ts';
import { MessageIds } from '../whatsapp/message-ids.ts';
import { SessionThread, type ThreadParts } from './session-thread.ts';

export interface ThreadsOptions extends Omit<ThreadParts, 'isNew' | 'onDeath'> {
  /** How many threads there are at most. */
  readonly count: number;
  /** Where the interface is reached, with `/v1`. */
  readonly baseUrl: () => string;
  /** Another thread is started when each has so many sessions: a small installation needs one. */
  readonly crowdedAt?: number;
}

export interface ThreadStats {
  readonly running: number;
  /** How many have ended by themselves since the start. */
  readonly ended: number;
}

const usuallyCrowdedAt = 32;
/** Devices whose thread is remembered; a thread remembers less of its devices. */
const maxPlaced = 100_000;

/** Bytes that both threads see: they are not copied once more on their way. */
const shared = (bytes: Uint8Array): Uint8Array => {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
  copy.set(bytes);
  return copy;
};

export class Threads {
  readonly network: Network;
  readonly #options: ThreadsOptions;
  readonly #ids = new MessageIds();
  readonly #images = new ImageProcess();
  readonly #placed = new Map<number, SessionThread>();
  #threads: SessionThread[] = [];
  #sessions = 0;
  #ended = 0;

  constructor(options: ThreadsOptions) {
    this.#options = options;
    this.network = {
      connect: (connect, listener) => {
        this.#sessions += 1;
        return this.#threadOf(connect).connect(this.#sessions, connect, options.baseUrl(), listener);
      },
      prepareImage: async (bytes, caption, signal) => {
        const image = await this.#images.prepare(bytes, caption, signal);
        return { ...image, bytes: shared(image.bytes) };
      },
      newMessageId: (elsewhere) => this.#ids.make(elsewhere),
      sandbox: options.data.sandbox !== null,
    };
    // It loads while the service starts.
    this.#start();
  }

  stats(): ThreadStats {
    return { running: this.#threads.filter(({ running }) => running).length, ended: this.#ended };
  }

  /** How many sessions each of them has. */
  loads(): readonly number[] {
    return this.#threads.filter(({ alive }) => alive).map(({ load }) => load);
  }

  /** Ends the thread of a device as a crash would; for tests. */
  kill(deviceId: number): void {
    this.#placed.get(deviceId)?.kill();
  }

  /** Stops them all, when their sessions are closed. */
  async close(): Promise<void> {
    this.#images.close();
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }

  /** What a thread has learned of a device is still right only if the device was nowhere else since. */
  #threadOf({ deviceId }: ConnectOptions): SessionThread {
    const before = this.#placed.get(deviceId);
    const thread = before?.alive === true ? before : this.#choose();
    this.#placed.delete(deviceId);
    this.#placed.set(deviceId, thread);
    if (this.#placed.size > maxPlaced) this.#placed.delete(this.#placed.keys().next().value!);
    return thread;
  }

  #choose(): SessionThread {
    this.#threads = this.#threads.filter(({ alive }) => alive);
    const [free] = this.#threads.toSorted((a, b) => a.load - b.load);
    const { count, crowdedAt = usuallyCrowdedAt } = this.#options;
    const isCrowded = free === undefined || free.load >= crowdedAt;
    return isCrowded && this.#threads.length < count ? this.#start() : free!;
  }

  #start(): SessionThread {
    const thread = new SessionThread({
      ...this.#options,
      isNew: (messageId) => this.#ids.isNew(messageId),
      onDeath: () => {
        this.#ended += 1;
      },
    });
    this.#threads.push(thread);
    return thread;
  }
}
