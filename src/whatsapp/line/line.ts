/**
 * The line to the network, between the WebSocket and Baileys: the handshake, the frames and their encryption are ours, in both
 * directions. Baileys hears of stanzas as before, and what it sends by itself comes past here.
 */
import { Socket } from 'node:net';
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
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { encodeNode } from '../node-encoder.ts';
import { replaceListener } from '../stanza-hooks.ts';
import { dispatch } from './dispatch.ts';
import type { FrameCipher } from './frame-cipher.ts';
import { FrameReader, lengthBytes } from './frames.ts';
import { Handshake } from './handshake.ts';
import { decodeNode } from './node-decoder.ts';
import { plainFrame, sealedFrames } from './outgoing-bytes.ts';

export interface LineOptions {
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  /** The key that the certificates of the network's servers are verified with. */
  readonly rootKey: Uint8Array;
  readonly log: Logger;
}

type Written = (error?: Error | null) => void;

/** What comes before the first frame: the protocol, and the way that the network has told for the next connection. */
const introOf = ({ routingInfo }: AuthenticationCreds): Buffer => {
  if (routingInfo === undefined) return NOISE_WA_HEADER;
  const { length } = routingInfo;
  const head = Buffer.from([0x45, 0x44, 0, 1, (length >>> 16) & 0xff, (length >>> 8) & 0xff, length & 0xff]);
  return Buffer.concat([head, routingInfo, NOISE_WA_HEADER]);
};

export class Line {
  readonly #options: LineOptions;
  readonly #connection: WebSocket;
  readonly #intro: Buffer;
  readonly #frames = new FrameReader();
  #handshake: Handshake | null = null;
  #cipher: FrameCipher | null = null;
  /** What is sent within one turn leaves in one write. */
  #waiting: Uint8Array[] = [];
  #written: Written[] = [];
  /** Baileys writes what comes before the first frame as well, and it is not needed twice. */
  #engineBegan = false;

  constructor(options: LineOptions, connection: WebSocket) {
    this.#options = options;
    this.#connection = connection;
    this.#intro = introOf(options.creds);
  }

  attach(): void {
    const { ws } = this.#options.sock;
    replaceListener(ws, 'open', () => this.#guarded(() => this.#begin()));
    replaceListener<Buffer>(ws, 'message', () => undefined);
    this.#connection.removeAllListeners('message');
    this.#connection.on('message', (bytes: Buffer) => this.#guarded(() => this.#heard(bytes)));
    // What Baileys sends arrives here with its length, and as it is: its own encryption begins with its own handshake.
    this.#connection.send = (framed: unknown, ...more: unknown[]) => {
      const done = more.at(-1);
      if (framed instanceof Uint8Array)
        this.#fromEngine(
          framed,
          typeof done === 'function' ? (error) => void Reflect.apply(done, null, [error]) : () => {},
        );
    };
  }

  /** Sends them in this order. That the connection has ended is told elsewhere. */
  send(nodes: readonly BinaryNode[]): void {
    if (this.#cipher === null) return;
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    for (const node of nodes) this.#waiting.push(encodeNode(node));
  }

  #fromEngine(framed: Uint8Array, written: Written): void {
    const begin = (this.#engineBegan ? 0 : this.#intro.length) + lengthBytes;
    this.#engineBegan = true;
    if (this.#cipher === null) return written(new Error('The connection is not ready'));
    if (this.#waiting.length === 0) process.nextTick(() => this.#flush());
    this.#waiting.push(framed.subarray(begin));
    this.#written.push(written);
  }

  #flush(): void {
    const [waiting, written] = [this.#waiting, this.#written];
    this.#waiting = [];
    if (written.length > 0) this.#written = [];
    const tell: Written = (error) => {
      for (const each of written) each(error);
    };
    if (this.#connection.readyState !== WebSocket.OPEN) return tell(new Error('The connection has ended'));
    try {
      this.#write(sealedFrames(this.#cipher!, waiting), written.length === 0 ? undefined : tell);
    } catch (error) {
      tell(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #write(bytes: Uint8Array, written?: Written): void {
    const socket: unknown = Reflect.get(this.#connection, '_socket');
    if (!(socket instanceof Socket)) throw new Error('A WebSocket without a socket');
    socket.write(bytes, written);
  }

  #begin(): void {
    this.#handshake = new Handshake();
    this.#write(plainFrame(this.#intro, this.#handshake.hello()));
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
    this.#write(plainFrame(new Uint8Array(), message));
    this.#cipher = cipher;
  }

  /** What goes wrong with one stanza must not take those behind it along. */
  #dispatch(node: BinaryNode): void {
    const { sock, log } = this.#options;
    try {
      dispatch(sock.ws, node);
    } catch (error) {
      log.error({ error: messageOf(error), tag: node.tag }, 'a stanza could not be handled');
    }
  }

  /** After what fails here the two ends no longer understand each other. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      void this.#options.sock.end(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
