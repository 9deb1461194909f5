/**
 * Calls between two threads over one port. What is called in one turn of the event loop goes as one message, and everything
 * arrives in the order in which it was called; an answer comes when the other side has it.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { compact } from './compact.ts';
import { type ErrorInTransit, packError, unpackError } from './errors-in-transit.ts';

/** What one side can be asked, by name. */
export type Calls<C> = { readonly [Name in keyof C]: (...args: never[]) => unknown };

export type Port = Pick<MessagePort | Worker, 'postMessage' | 'on'>;

type Packet =
  | readonly [kind: 'call', id: number, name: string, args: readonly unknown[]]
  | readonly [kind: 'tell', name: string, args: readonly unknown[]]
  | readonly [kind: 'done', id: number, value: unknown]
  | readonly [kind: 'failed', id: number, error: ErrorInTransit];

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Serve = (...args: readonly unknown[]) => unknown;

export class Peer<Theirs extends Calls<Theirs>> {
  readonly #port: Port;
  readonly #ours: ReadonlyMap<string, Serve>;
  readonly #waiting = new Map<number, Waiting>();
  /** Calls of the other side that are not answered. */
  readonly #serving = new Set<Promise<unknown>>();
  #queue: Packet[] = [];
  #next = 1;
  #ended: Error | null = null;

  constructor(port: Port, ours: object) {
    this.#port = port;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other side is typed by the same contract
    this.#ours = new Map(Object.entries(ours) as [string, Serve][]);
    port.on('message', (packets: readonly Packet[]) => {
      for (const packet of packets) this.#take(packet);
    });
  }

  call<Name extends string & keyof Theirs>(
    name: Name,
    ...args: Parameters<Theirs[Name]>
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) return reject(this.#ended);
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#post(['call', id, name, args]);
    });
  }

  /** A call that nobody waits for. */
  tell<Name extends string & keyof Theirs>(name: Name, ...args: Parameters<Theirs[Name]>): void {
    if (this.#ended === null) this.#post(['tell', name, args]);
  }

  /** Now, and not at the end of the turn. */
  flush(): void {
    const packets = this.#queue;
    this.#queue = [];
    if (packets.length === 0 || this.#ended !== null) return;
    try {
      this.#send(packets);
    } catch (error) {
      // One of them is no value: the others go without it.
      for (const packet of packets) this.#sendAlone(packet, messageOf(error));
    }
  }

  /** The other side is gone: what waits for it fails, and so does what is called from now on. */
  end(why: Error): void {
    this.#ended ??= why;
    for (const waiting of this.#waiting.values()) waiting.reject(why);
    this.#waiting.clear();
  }

  /** Resolves when nothing is under way that the other side has asked for. */
  async settled(): Promise<void> {
    while (this.#serving.size > 0) await Promise.allSettled(this.#serving);
  }

  #post(packet: Packet): void {
    this.#queue.push(packet);
    if (this.#queue.length === 1) setImmediate(() => this.flush());
  }

  #send(packets: readonly Packet[]): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#port.postMessage(packets.map(compact));
  }

  #sendAlone(packet: Packet, why: string): void {
    try {
      this.#send([packet]);
    } catch {
      const error = new Error(`What goes to another thread is no value: ${why}`);
      if (packet[0] === 'call') this.#answered(packet[1])?.reject(error);
      if (packet[0] === 'done') this.#send([['failed', packet[1], packError(error)]]);
    }
  }

  #answered(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  #take(packet: Packet): void {
    switch (packet[0]) {
      case 'call':
        return this.#serve(packet[1], packet[2], packet[3]);
      case 'tell':
        return void this.#run(packet[1], packet[2]);
      case 'done':
        return this.#answered(packet[1])?.resolve(packet[2]);
      case 'failed':
        return this.#answered(packet[1])?.reject(unpackError(packet[2]));
    }
  }

  #run(name: string, args: readonly unknown[]): unknown {
    const serve = this.#ours.get(name);
    if (serve === undefined) throw new Error(`Nobody serves ${name}`);
    return serve(...args);
  }

  #serve(id: number, name: string, args: readonly unknown[]): void {
    const run = async (): Promise<unknown> => this.#run(name, args);
    const serving = run().then(
      (value) => this.#post(['done', id, value]),
      (error: unknown) => this.#post(['failed', id, packError(error)]),
    );
    this.#serving.add(serving);
    void serving.finally(() => this.#serving.delete(serving));
  }
}
