/** What a service has to do to be compared: start over the sandbox, link a device, send a text and say when it is accepted. */
import type { Place } from '../support/stage.ts';

/** Where the service posts to. */
export interface Hooks {
  readonly url: string;
  /** Told of everything that is posted there, or below it. */
  listen(on: (path: string, body: unknown) => void): void;
}

export interface Peer {
  /** The processes that are its work, for memory and CPU time: with a database of its own that too. */
  readonly pids: readonly number[];
  /** Links a new device: `scan` is to be given the text of its QR. Resolves with its name in the peer when it can send. */
  link(number: string, scan: (qr: string) => Promise<void>): Promise<string>;
  /** Resolves when the peer says that the text is sent. */
  send(device: string, toNumber: string, text: string): Promise<void>;
  /** Ends it by this signal and starts it again on what it has kept; resolves when all its devices are connected. */
  restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  stop(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** What its answer to a send means, and what it keeps on disk: rates mean little without it. */
  readonly promises: string;
  /** How many received messages a post brings. */
  messagesIn(body: unknown): number;
  /**
   * Starts it: `socketUrl` in the place of the network's address, `rootKey` (hex) in the place of the key that signs the network's
   * certificates, `mediaCa` (PEM) for its media hosts.
   */
  start(place: Place, hooks: Hooks): Promise<Peer>;
}
