/** Transport of stanzas: WebSocket, handshake, frames and encryption. */
import type { Agent } from 'node:https';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { asError, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type BinaryNode, binaryNodeToString } from '../library/nodes.ts';
import { DEFAULT_ORIGIN, NOISE_WA_HEADER } from '../library/protocol.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { connectionClosed, connectionFailed } from './connection-ended.ts';
import { type FrameCipher, framed, FrameReader, maxFrame, tagBytes } from './frames.ts';
import { Handshake } from './handshake.ts';
import { nodeReader } from './node-decoder.ts';
import { nodeWriter } from './node-encoder.ts';

export interface Tap {
  readonly isOn: boolean;
  readonly note: (direction: 'in' | 'out', node: BinaryNode) => void;
}

export interface LineOptions {
  readonly endpoint: {
    readonly socketUrl: string;
    readonly rootKey: Uint8Array;
    readonly socketAgent?: Agent;
  };
  readonly creds: Pick<AuthenticationCreds, 'noiseKey' | 'routingInfo'>;
  readonly payload: () => Uint8Array;
  readonly prepared?: (() => Promise<void>) | undefined;
  readonly hear: (node: BinaryNode) => void;
  /** May be called more than once. */
  readonly ended: (error: unknown) => void;
  readonly tap?: Tap | undefined;
  readonly log: Logger;
}

/** How long an ack waits for other stanzas to leave with. */
const inPassingMs = 10;
/** How long a closing handshake may take before the connection is cut. */
const closeGraceMs = 1_500;

type Written = (error?: Error | null) => void;

interface Outgoing {
  readonly plain: Uint8Array;
  readonly written: Written | undefined;
}

/** Precedes the first frame: the route chosen by the network, and the protocol. */
const introOf = ({ routingInfo }: LineOptions['creds']): Buffer => {
  if (!routingInfo) return NOISE_WA_HEADER;
  return Buffer.concat([Buffer.from([0x45, 0x44, 0, 1]), framed(routingInfo), NOISE_WA_HEADER]);
};

const maxPlain = maxFrame - tagBytes;

const connect = ({ socketUrl, socketAgent }: LineOptions['endpoint']): WebSocket =>
  new WebSocket(socketUrl, { origin: DEFAULT_ORIGIN, ...(socketAgent && { agent: socketAgent }) });

export class Line {
  readonly #options: LineOptions;
  readonly #connection: WebSocket;
  readonly #frames = new FrameReader();
  /** Set when a stanza arrives; reset by others. */
  heard = false;
  #handshake: Handshake | null = null;
  #cipher: FrameCipher | null = null;
  #waiting: Outgoing[] = [];
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineOptions, connection = connect(options.endpoint)) {
    this.#options = options;
    this.#connection = connection;
    const { prepared, ended } = options;
    connection.on('open', () => (prepared === undefined ? this.#begin() : void this.#prepare(prepared)));
    connection.on('message', this.#receive);
    connection.on('error', (error) => ended(connectionFailed(error)));
    connection.on('close', () => ended(connectionClosed()));
  }

  get isOpen(): boolean {
    return this.#connection.readyState === WebSocket.OPEN;
  }

  /** In order; throws, sending nothing, if one is too long. No-op on a closed connection. */
  send(nodes: readonly BinaryNode[], written?: Written): void {
    if (!this.#put(nodes, written)) return;
    if (!this.#isDue) process.nextTick(this.#flush);
    this.#isDue = true;
  }

  sendInPassing(nodes: readonly BinaryNode[]): void {
    if (this.#put(nodes) && !this.#isDue) this.#timer ??= setTimeout(this.#flush, inPassingMs).unref();
  }

  /** Resolves when written. Rejects on a closed connection, and for a stanza that is too long. */
  async write(node: BinaryNode): Promise<void> {
    if (this.#cipher === null || !this.isOpen) throw connectionClosed();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.send([node], (error) => (error ? reject(error) : resolve()));
    await promise;
  }

  /** Resolves when the connection is closed, with or without a closing handshake. */
  close(): Promise<void> {
    const connection = this.#connection;
    const { promise, resolve } = Promise.withResolvers<void>();
    if (connection.readyState === WebSocket.CLOSED || connection.readyState === WebSocket.CLOSING)
      return Promise.resolve();
    const grace = setTimeout(() => this.cut(), closeGraceMs).unref();
    connection.once('close', () => {
      clearTimeout(grace);
      resolve();
    });
    connection.close();
    return promise;
  }

  /** Skips the closing handshake, so the other end notices at once. */
  cut(): void {
    this.#connection.terminate();
  }

  #put(nodes: readonly BinaryNode[], written?: Written): boolean {
    if (this.#cipher === null) return false;
    const frames: Outgoing[] = [];
    for (const node of nodes) {
      const plain = nodeWriter.encode(node);
      if (plain.length > maxPlain) throw new Error('A stanza is too long');
      frames.push({ plain, written });
    }
    this.#waiting.push(...frames);
    return true;
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (!this.isOpen) {
      for (const { written } of waiting) written?.(connectionClosed());
      return;
    }
    const { tap, log } = this.#options;
    if (tap?.isOn === true || log.isLevelEnabled('trace'))
      this.#note('out', waiting, ({ plain }) => nodeReader.decode(Buffer.from(plain)));
    // The socket below the WebSocket; undefined if the runtime has its own WebSocket.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `ws` keeps it under this name, and does not export it
    const socket = Reflect.get(this.#connection, '_socket') as Socket | undefined;
    try {
      socket?.cork();
      for (const { plain, written } of waiting) this.#connection.send(this.#cipher!.seal(plain), written);
      socket?.uncork();
    } catch (error) {
      this.#fail(error);
    }
  };

  #note<T>(direction: 'in' | 'out', said: readonly T[], nodeOf: (each: T) => BinaryNode): void {
    const { tap, log } = this.#options;
    try {
      for (const node of said.map(nodeOf)) {
        if (tap?.isOn === true) tap.note(direction, node);
        log.trace({ direction, stanza: binaryNodeToString(node) }, 'a stanza');
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'a stanza could not be captured');
    }
  }

  async #prepare(prepared: () => Promise<void>): Promise<void> {
    try {
      await prepared();
    } catch (error) {
      return this.#fail(error);
    }
    if (this.isOpen) this.#begin();
  }

  #begin(): void {
    try {
      this.#handshake = new Handshake();
      this.#connection.send(Buffer.concat([introOf(this.#options.creds), framed(this.#handshake.hello())]));
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #receive = (bytes: Buffer): void => {
    const { hear, tap, log } = this.#options;
    try {
      for (const frame of this.#frames.read(bytes)) {
        if (!this.isOpen) return;
        if (this.#cipher === null) {
          this.#finish(frame);
          continue;
        }
        const node = nodeReader.decode(this.#cipher.open(frame));
        this.heard = true;
        if (tap?.isOn === true || log.isLevelEnabled('trace')) this.#note('in', [node], (each) => each);
        hear(node);
      }
    } catch (error) {
      this.#fail(error);
    }
  };

  #finish(answer: Uint8Array): void {
    if (this.#handshake === null) throw new Error('The server spoke first');
    const { creds, endpoint, payload } = this.#options;
    const { message, cipher } = this.#handshake.finish(answer, {
      noiseKey: creds.noiseKey,
      rootKey: endpoint.rootKey,
      payload: payload(),
    });
    this.#handshake = null;
    this.#connection.send(framed(message));
    this.#cipher = cipher;
  }

  /** The two sides are out of step, so the connection ends. */
  #fail(error: unknown): void {
    this.#options.ended(asError(error));
  }
}
