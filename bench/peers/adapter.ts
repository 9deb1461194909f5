/** What a service has to do to be compared: start over the sandbox, link a device, send a text and say when it is accepted. */
import type { Place } from '../support/stage.ts';

export interface Peer {
  readonly pid: number;
  /** Links a new device: `scan` is to be given the text of its QR. Resolves with its name in the peer when it can send. */
  link(scan: (qr: string) => Promise<void>): Promise<string>;
  /** Resolves when the peer says that the text is sent. */
  send(device: string, toNumber: string, text: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Adapter {
  readonly name: string;
  /** What its answer to a send means, and what it keeps on disk: rates mean little without it. */
  readonly promises: string;
  /**
   * Starts it: `socketUrl` in the place of the network's address, `rootKey` (hex) in the place of the key that signs the network's
   * certificates, `mediaCa` (PEM) for its media hosts.
   */
  start(place: Place): Promise<Peer>;
}
