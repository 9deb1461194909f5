/**
 * The connection to the network between WebSocket and Baileys: handshake, frames and encryption in both directions. Baileys gets stanzas
 * as before, and what it sends passes through here.
 */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import {
  type AuthenticationCreds,
  type BinaryNode,
  DEF_CALLBACK_PREFIX,
  DEF_TAG_PREFIX,
  generateLoginNode,
  generateRegistrationNode,
  NOISE_WA_HEADER,
  proto,
  type WASocket,
} from 'baileys';
import { WebSocket } from 'ws';
import { asError, messageOf } from '../../../errors.ts';
import { noteOperation } from '../../../domain/operation.ts';
import type { Logger } from '../../../log.ts';
import { replaceListener } from '../stanza-hooks.ts';
import { type FrameCipher, framed, FrameReader, lengthBytes, maxFrame, tagBytes } from './frames.ts';
import { Handshake } from './handshake.ts';
import { decodeNode } from './node-decoder.ts';
import { nodeWriter } from './node-encoder.ts';

/** Observes stanzas in both directions. */
export interface Tap {
  /** True if anything is observed. */
  readonly isOn: boolean;
  readonly note: (direction: 'in' | 'out', node: BinaryNode) => void;
}

export interface LineOptions {
  readonly deviceId?: number | undefined;
  readonly sock: WASocket;
  readonly creds: AuthenticationCreds;
  /** Root key of the network's server certificates. */
  readonly rootKey: Uint8Array;
  /** Fields of the login payload that replace those of Baileys. */
  readonly loginPayload?: (() => Partial<proto.IClientPayload>) | undefined;
  readonly tap?: Tap | undefined;
  readonly log: Logger;
}

/** How long an acknowledgement waits for other stanzas to leave with. */
const inPassingMs = 10;

type Written = (error?: Error | null) => void;

interface Outgoing {
  readonly plain: Uint8Array;
  readonly written?: Written;
}

/** Precedes the first frame: the route chosen by the network, and the protocol. */
const introOf = ({ routingInfo }: AuthenticationCreds): Buffer => {
  if (routingInfo === undefined) return NOISE_WA_HEADER;
  return Buffer.concat([Buffer.from([0x45, 0x44, 0, 1]), framed(routingInfo), NOISE_WA_HEADER]);
};

/** Longest stanza, in bytes. */
const maxPlain = maxFrame - tagBytes;

/** Emits a stanza under the event names that Baileys uses (`onMessageReceived` in its `Socket/socket.js`). */
export const dispatch = (socket: EventEmitter, node: BinaryNode): void => {
  const { tag, attrs, content } = node;
  const child = Array.isArray(content) ? content[0]?.tag : '';
  const name = `${DEF_CALLBACK_PREFIX}${tag}`;
  socket.emit('frame', node);
  socket.emit(`${DEF_TAG_PREFIX}${attrs.id}`, node);
  for (const [key, value] of Object.entries(attrs)) {
    socket.emit(`${name},${key}:${value},${child}`, node);
    socket.emit(`${name},${key}:${value}`, node);
    socket.emit(`${name},${key}`, node);
  }
  socket.emit(`${name},,${child}`, node);
  socket.emit(name, node);
};

export class Line {
  readonly #options: LineOptions;
  readonly #connection: WebSocket;
  /** The connection's own function, which Baileys no longer reaches. */
  readonly #write: (message: Uint8Array, written?: Written) => void;
  readonly #intro: Buffer;
  readonly #frames = new FrameReader();
  /** Set when a stanza arrives; reset by others. */
  heard = false;
  #handshake: Handshake | null = null;
  #cipher: FrameCipher | null = null;
  /** Sent in one write at the end of the turn. */
  #waiting: Outgoing[] = [];
  /** Baileys also writes the intro. */
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
    replaceListener(ws, 'open', () => this.#begin());
    replaceListener<Buffer>(ws, 'message', this.#receive);
    // Frames from Baileys are unencrypted: its cipher starts with its own handshake, which never runs.
    this.#connection.send = (frame: unknown, ...more: unknown[]) => {
      const done = more.at(-1);
      const written: Written = (error) => void (typeof done === 'function' && Reflect.apply(done, null, [error]));
      if (frame instanceof Uint8Array) this.#fromEngine(frame, written);
    };
  }

  /** Sends in order; throws, and sends nothing, if one is too long. Silent on a closed connection. */
  send(nodes: readonly BinaryNode[]): void {
    if (this.#put(nodes)) this.#soon();
  }

  /** Like `send`, for stanzas that nobody waits for: they leave with the next ones, or after a moment. */
  sendInPassing(nodes: readonly BinaryNode[]): void {
    if (this.#put(nodes) && !this.#isDue) this.#timer ??= setTimeout(this.#flush, inPassingMs).unref();
  }

  #put(nodes: readonly BinaryNode[]): boolean {
    if (this.#cipher === null) return false;
    const frames: Outgoing[] = [];
    for (const node of nodes) {
      const plain = nodeWriter.encode(node);
      if (plain.length > maxPlain) throw new Error('A stanza is too long');
      frames.push({ plain });
    }
    this.#waiting.push(...frames);
    return true;
  }

  #fromEngine(frame: Uint8Array, written: Written): void {
    const plain = frame.subarray((this.#engineBegan ? 0 : this.#intro.length) + lengthBytes);
    this.#engineBegan = true;
    if (this.#cipher === null) return written(new Error('The connection is not ready'));
    if (plain.length > maxPlain) return written(new Error('A stanza is too long'));
    this.#waiting.push({ plain, written });
    this.#soon();
  }

  #soon(): void {
    if (!this.#isDue) process.nextTick(this.#flush);
    this.#isDue = true;
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#connection.readyState !== WebSocket.OPEN) {
      for (const { written } of waiting) written?.(new Error('The connection has ended'));
      return;
    }
    const { tap } = this.#options;
    if (tap?.isOn === true) this.#note(tap, 'out', waiting, ({ plain }) => decodeNode(Buffer.from(plain)));
    // The socket below the WebSocket; undefined if the runtime has its own WebSocket.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `ws` keeps it under this name, and does not export it
    const socket = Reflect.get(this.#connection, '_socket') as Socket | undefined;
    try {
      socket?.cork();
      for (const { plain, written } of waiting) this.#write(this.#cipher!.seal(plain), written);
      socket?.uncork();
    } catch (error) {
      this.#fail(error);
    }
  };

  #note<T>(tap: Tap, direction: 'in' | 'out', said: readonly T[], nodeOf: (each: T) => BinaryNode): void {
    const { log } = this.#options;
    try {
      for (const each of said) tap.note(direction, nodeOf(each));
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'a stanza could not be captured');
    }
  }

  #begin(): void {
    try {
      this.#handshake = new Handshake();
      this.#write(Buffer.concat([this.#intro, framed(this.#handshake.hello())]));
    } catch (error) {
      this.#fail(error);
    }
  }

  readonly #receive = (bytes: Buffer): void => {
    const { sock, deviceId, tap, log } = this.#options;
    try {
      for (const frame of this.#frames.read(bytes)) {
        if (this.#connection.readyState !== WebSocket.OPEN) return;
        if (this.#cipher === null) {
          this.#finish(frame);
          continue;
        }
        const node = decodeNode(this.#cipher.open(frame));
        this.heard = true;
        if (tap?.isOn === true) this.#note(tap, 'in', [node], (each) => each);
        noteOperation({ kind: 'stanza', deviceId, stanza: node.tag });
        try {
          dispatch(sock.ws, node);
        } catch (error) {
          // A listener that throws must not affect later stanzas.
          log.error({ error: messageOf(error), tag: node.tag }, 'a stanza could not be handled');
        }
      }
    } catch (error) {
      this.#fail(error);
    }
  };

  #finish(answer: Uint8Array): void {
    if (this.#handshake === null) throw new Error('The server spoke first');
    const { creds, rootKey, sock, loginPayload } = this.#options;
    const { config } = sock.ws;
    const payload =
      creds.me === undefined
        ? generateRegistrationNode(creds, config)
        : { ...generateLoginNode(creds.me.id, config), ...loginPayload?.() };
    const { message, cipher } = this.#handshake.finish(answer, {
      noiseKey: creds.noiseKey,
      rootKey,
      payload: proto.ClientPayload.encode(payload).finish(),
    });
    this.#handshake = null;
    this.#write(framed(message));
    this.#cipher = cipher;
  }

  /** After an error the two sides are out of step, so the connection ends. */
  #fail(error: unknown): void {
    void this.#options.sock.end(asError(error));
  }
}
