/**
 * The line to the network, between the WebSocket and Baileys: the handshake, the frames and their encryption are ours in both
 * directions. Baileys hears of stanzas as before, and what it sends passes through here.
 */
import type { Socket } from 'node:net';
import {
  type AuthenticationCreds,
  type BinaryNode,
  generateLoginNode,
  generateRegistrationNode,
  NOISE_WA_HEADER,
  proto,
  type WASocket,
} from 'baileys';
import { WebSocket } from 'ws';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { replaceListener } from '../stanza-hooks.ts';
import { dispatch } from './dispatch.ts';
import { type FrameCipher, tagBytes } from './frame-cipher.ts';
import { framed, FrameReader, lengthBytes, maxFrame } from './frames.ts';
import { Handshake } from './handshake.ts';
import { decodeNode } from './node-decoder.ts';
import { encodeNode } from './node-encoder.ts';

export interface LineOptions {
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  /** The key that the certificates of the network's servers are verified with. */
  readonly rootKey: Uint8Array;
  readonly log: Logger;
}

/** An acknowledgement waits this long for other stanzas to leave with. */
const inPassingMs = 10;

type Written = (error?: Error | null) => void;

interface Outgoing {
  readonly plain: Uint8Array;
  readonly written?: Written;
}

/** Precedes the first frame: the route that the network chose for this connection, and the protocol. */
const introOf = ({ routingInfo }: AuthenticationCreds): Buffer => {
  if (routingInfo === undefined) return NOISE_WA_HEADER;
  return Buffer.concat([Buffer.from([0x45, 0x44, 0, 1]), framed(routingInfo), NOISE_WA_HEADER]);
};

const fitsFrame = ({ length }: Uint8Array): boolean => length + tagBytes <= maxFrame;

export class Line {
  readonly #options: LineOptions;
  readonly #connection: WebSocket;
  /** The connection's own, which Baileys no longer reaches. */
  readonly #write: (message: Uint8Array, written?: Written) => void;
  readonly #intro: Buffer;
  readonly #frames = new FrameReader();
  #handshake: Handshake | null = null;
  #cipher: FrameCipher | null = null;
  /** Leaves in one write at the end of the turn. */
  #waiting: Outgoing[] = [];
  /** Baileys writes the intro as well. */
  #engineBegan = false;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineOptions, connection: WebSocket) {
    this.#options = options;
    this.#connection = connection;
    this.#write = connection.send.bind(connection);
    this.#intro = introOf(options.creds);
  }

  attach(): void {
    const { ws } = this.#options.sock;
    replaceListener(ws, 'open', () => this.#guarded(() => this.#begin()));
    replaceListener<Buffer>(ws, 'message', (bytes) => this.#guarded(() => this.#heard(bytes)));
    // Baileys' frames come in plain: its cipher starts with its own handshake, which never runs.
    this.#connection.send = (frame: unknown, ...more: unknown[]) => {
      const done = more.at(-1);
      const written: Written = (error) => void (typeof done === 'function' && Reflect.apply(done, null, [error]));
      if (frame instanceof Uint8Array) this.#fromEngine(frame, written);
    };
  }

  /** Sends them in this order; throws, and sends none, when one is too long. Tells nothing of a connection that has ended. */
  send(nodes: readonly BinaryNode[]): void {
    if (this.#put(nodes)) this.#soon();
  }

  /** Like `send`, for stanzas that nobody waits for: they leave with the next ones, or after a moment. */
  sendInPassing(nodes: readonly BinaryNode[]): void {
    if (!this.#put(nodes) || this.#isDue) return;
    this.#timer ??= setTimeout(() => this.#guarded(() => this.#flush()), inPassingMs).unref();
  }

  #put(nodes: readonly BinaryNode[]): boolean {
    if (this.#cipher === null) return false;
    const frames = nodes.map((node) => ({ plain: encodeNode(node) }));
    if (!frames.every(({ plain }) => fitsFrame(plain))) throw new Error('A stanza is too long');
    this.#waiting.push(...frames);
    return true;
  }

  #fromEngine(frame: Uint8Array, written: Written): void {
    const plain = frame.subarray((this.#engineBegan ? 0 : this.#intro.length) + lengthBytes);
    this.#engineBegan = true;
    if (this.#cipher === null) return written(new Error('The connection is not ready'));
    if (!fitsFrame(plain)) return written(new Error('A stanza is too long'));
    this.#waiting.push({ plain, written });
    this.#soon();
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => this.#guarded(() => this.#flush()));
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#connection.readyState !== WebSocket.OPEN) {
      for (const { written } of waiting) written?.(new Error('The connection has ended'));
      return;
    }
    const socket = this.#socket;
    socket?.cork();
    for (const { plain, written } of waiting) this.#write(framed(this.#cipher!.seal(plain)), written);
    socket?.uncork();
  }

  /** Below the WebSocket; undefined where the runtime brings a WebSocket of its own. */
  get #socket(): Socket | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `ws` keeps it under this name, and does not export it
    return Reflect.get(this.#connection, '_socket') as Socket | undefined;
  }

  #begin(): void {
    this.#handshake = new Handshake();
    this.#write(Buffer.concat([this.#intro, framed(this.#handshake.hello())]));
  }

  #heard(bytes: Buffer): void {
    this.#frames.read(bytes, (frame) => {
      if (this.#connection.readyState !== WebSocket.OPEN) return;
      if (this.#cipher === null) this.#finish(frame);
      else this.#dispatch(decodeNode(this.#cipher.open(frame)));
    });
  }

  #finish(answer: Uint8Array): void {
    if (this.#handshake === null) throw new Error('The server spoke first');
    const { creds, rootKey, sock } = this.#options;
    const { config } = sock.ws;
    const payload =
      creds.me === undefined ? generateRegistrationNode(creds, config) : generateLoginNode(creds.me.id, config);
    const { message, cipher } = this.#handshake.finish(answer, {
      noiseKey: creds.noiseKey,
      rootKey,
      payload: proto.ClientPayload.encode(payload).finish(),
    });
    this.#handshake = null;
    this.#write(framed(message));
    this.#cipher = cipher;
  }

  /** A listener that throws must not take the stanzas behind along. */
  #dispatch(node: BinaryNode): void {
    const { sock, log } = this.#options;
    try {
      dispatch(sock.ws, node);
    } catch (error) {
      log.error({ error: messageOf(error), tag: node.tag }, 'a stanza could not be handled');
    }
  }

  /** An error here leaves the two ends out of step: the connection ends. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      void this.#options.sock.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
