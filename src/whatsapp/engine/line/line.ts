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
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { encodeNode } from '../node-encoder.ts';
import { replaceListener } from '../stanza-hooks.ts';
import { dispatch } from './dispatch.ts';
import type { FrameCipher } from './frame-cipher.ts';
import { FrameReader, lengthBytes } from './frames.ts';
import { Handshake } from './handshake.ts';
import { decodeNode } from './node-decoder.ts';
import { MessageReader } from './messages.ts';
import { barePlainFrame, bareSealedFrame, fitsFrame, plainFrame, sealedFrames } from './outgoing-bytes.ts';

export interface LineOptions {
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  /** The key that the certificates of the network's servers are verified with. */
  readonly rootKey: Uint8Array;
  readonly log: Logger;
}

/** An acknowledgement may wait so long for company. */
const inPassingMs = 10;

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
  /** The library's own, which Baileys no longer reaches. */
  readonly #sendByLibrary: (message: Uint8Array, written?: Written) => void;
  readonly #intro: Buffer;
  readonly #frames = new FrameReader();
  #handshake: Handshake | null = null;
  #cipher: FrameCipher | null = null;
  /** Frames that are still to be opened. */
  #arrived: Buffer[] = [];
  /** What is sent within one turn leaves in one write. */
  #waiting: Uint8Array[] = [];
  #written: Written[] = [];
  /** Baileys writes what comes before the first frame as well, and it is not needed twice. */
  #engineBegan = false;
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: LineOptions, connection: WebSocket) {
    this.#options = options;
    this.#connection = connection;
    this.#sendByLibrary = connection.send.bind(connection);
    this.#intro = introOf(options.creds);
  }

  attach(): void {
    const { ws } = this.#options.sock;
    replaceListener(ws, 'open', () => this.#guarded(() => this.#begin()));
    replaceListener<Buffer>(ws, 'message', () => undefined);
    this.#connection.removeAllListeners('message');
    this.#connection.on('message', (bytes: Buffer) =>
      this.#guarded(() => {
        this.#heard(bytes);
        this.#openArrived();
      }),
    );
    // What Baileys sends arrives here with its length, and as it is: its own encryption begins with its own handshake.
    this.#connection.send = (framed: unknown, ...more: unknown[]) => {
      const done = more.at(-1);
      const written: Written = (error) => void (typeof done === 'function' && Reflect.apply(done, null, [error]));
      if (framed instanceof Uint8Array) this.#fromEngine(framed, written);
    };
  }

  /** Sends them in this order; throws where one is too long, and sends none. That the connection has ended is told elsewhere. */
  send(nodes: readonly BinaryNode[]): void {
    if (this.#cipher === null) return;
    this.#put(nodes);
    this.#soon();
  }

  /** As `send`, of what nobody waits for: it leaves with what is sent next, or after a moment. */
  sendInPassing(nodes: readonly BinaryNode[]): void {
    if (this.#cipher === null) return;
    this.#put(nodes);
    if (this.#isDue) return;
    this.#timer ??= setTimeout(() => this.#guarded(() => this.#flush()), inPassingMs).unref();
  }

  #put(nodes: readonly BinaryNode[]): void {
    const frames = nodes.map((node) => encodeNode(node));
    if (!frames.every(fitsFrame)) throw new Error('A stanza is too long');
    this.#waiting.push(...frames);
  }

  #fromEngine(framed: Uint8Array, written: Written): void {
    const begin = (this.#engineBegan ? 0 : this.#intro.length) + lengthBytes;
    this.#engineBegan = true;
    const bytes = framed.subarray(begin);
    if (this.#cipher === null) return written(new Error('The connection is not ready'));
    if (!fitsFrame(bytes)) return written(new Error('A stanza is too long'));
    this.#waiting.push(bytes);
    this.#written.push(written);
    this.#soon();
  }

  #soon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    process.nextTick(() => this.#guarded(() => this.#flush()));
  }

  #flush(): void {
    const [waiting, written] = [this.#waiting, this.#written];
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
    if (written.length > 0) this.#written = [];
    const tell: Written = (error) => {
      for (const each of written) each(error);
    };
    if (this.#connection.readyState !== WebSocket.OPEN) return tell(new Error('The connection has ended'));
    this.#writeSealed(waiting, written.length === 0 ? undefined : tell);
  }

  #writeSealed(frames: readonly Uint8Array[], written?: Written): void {
    const [cipher, socket] = [this.#cipher!, this.#socket];
    if (socket !== null) {
      socket.write(sealedFrames(cipher, frames), written);
      return;
    }
    const last = frames.length - 1;
    for (const [at, frame] of frames.entries()) {
      this.#sendByLibrary(bareSealedFrame(cipher, frame), at === last ? written : undefined);
    }
  }

  #writePlain(intro: Uint8Array, bytes: Uint8Array): void {
    const socket = this.#socket;
    if (socket === null) this.#sendByLibrary(barePlainFrame(intro, bytes));
    else socket.write(plainFrame(intro, bytes));
  }

  /** Below the WebSocket; null where the runtime has a WebSocket of its own in the place of the library's. */
  get #socket(): Socket | null {
    const socket: unknown = Reflect.get(this.#connection, '_socket');
    return socket instanceof Socket ? socket : null;
  }

  #begin(): void {
    this.#readBytes();
    this.#handshake = new Handshake();
    this.#writePlain(this.#intro, this.#handshake.hello());
  }

  /** Before the library does: its reader is a stream, with much around each message. */
  #readBytes(): void {
    const socket = this.#socket;
    if (socket === null) return;
    const [listener, ...others] = socket.listeners('data');
    if (listener === undefined || others.length > 0 || this.#connection.extensions !== '') return;
    const reader = new MessageReader(
      (message) => this.#heard(message),
      (bytes) => {
        this.#openArrived();
        Reflect.apply(listener, socket, [bytes]);
      },
    );
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) =>
      this.#guarded(() => {
        reader.read(chunk);
        this.#openArrived();
      }),
    );
  }

  #heard(bytes: Buffer): void {
    this.#frames.read(bytes, (frame) => {
      if (this.#connection.readyState !== WebSocket.OPEN) return;
      if (this.#cipher === null) this.#finish(frame);
      else this.#arrived.push(frame);
    });
  }

  /** What has come in one piece is opened together. */
  #openArrived(): void {
    const frames = this.#arrived;
    if (frames.length === 0) return;
    this.#arrived = [];
    const cipher = this.#cipher!;
    for (const frame of frames) {
      if (this.#connection.readyState !== WebSocket.OPEN) return;
      this.#dispatch(decodeNode(cipher.open(frame)));
    }
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
    this.#writePlain(new Uint8Array(), message);
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
