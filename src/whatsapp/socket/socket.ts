/** A connection to the network: sending, queries, incoming stanzas with their handlers, and its end. */
import { EventEmitter } from 'node:events';
import { noteOperation } from '../../domain/turns.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { type BinaryNode, buildAckStanza, getBinaryNodeChild } from '../library/nodes.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import { connectionClosed, endBy, endingTags } from './connection-ended.ts';
import { Line, type LineOptions } from './line.ts';
import { Queries, runUsync, type UsyncAnswer, type UsyncQuery } from './query.ts';

export type Handle = (node: BinaryNode) => void;

export interface Where {
  readonly type?: string;
  readonly class?: string;
  readonly child?: string;
}

interface Handler {
  readonly handle: Handle;
  readonly where: Where;
}

/** Tags that have handlers or need no acknowledgement. */
const known: ReadonlySet<string> = new Set([
  'ack',
  'call',
  'chatstate',
  'error',
  'failure',
  'ib',
  'iq',
  'message',
  'notification',
  'presence',
  'receipt',
  'status',
  'stream:error',
  'stream:features',
  'success',
  'xmlstreamend',
]);

/** The network redelivers unacknowledged stanzas, and ends the stream. */
export const isUnknown = ({ tag, attrs }: BinaryNode): boolean =>
  !known.has(tag) && attrs['id'] !== undefined && attrs['from'] !== undefined;

export class Stanzas {
  /** Called for every stanza, before its handlers. */
  readonly observers = new Set<Handle>();
  readonly #handlers = new Map<string, readonly Handler[]>();
  readonly #onFailure: (error: unknown, node: BinaryNode) => void;

  /** `onFailure`: called if a handler throws; the others still run. */
  constructor(onFailure: (error: unknown, node: BinaryNode) => void) {
    this.#onFailure = onFailure;
  }

  /** Handlers run in order of registration. Returns a function that removes this one. */
  on(tag: string, handle: Handle, where: Where = {}): () => void {
    const handler = { handle, where };
    this.#handlers.set(tag, [...(this.#handlers.get(tag) ?? []), handler]);
    return () =>
      this.#handlers.set(
        tag,
        (this.#handlers.get(tag) ?? []).filter((each) => each !== handler),
      );
  }

  dispatch(node: BinaryNode): void {
    const { tag, attrs, content } = node;
    const handles = [...this.observers];
    for (const { handle, where } of this.#handlers.get(tag) ?? []) {
      if (where.type !== undefined && where.type !== attrs['type']) continue;
      if (where.class !== undefined && where.class !== attrs['class']) continue;
      const first = Array.isArray(content) ? content[0]?.tag : undefined;
      if (where.child === undefined || where.child === first) handles.push(handle);
    }
    for (const handle of handles) {
      try {
        handle(node);
      } catch (error) {
        this.#onFailure(error, node);
      }
    }
  }
}

export interface StanzaSource {
  readonly stanzas: Stanzas;
  readonly isOpen: boolean;
}

/** Resolves once the messages before a stanza of another kind are handled; null: they already are. */
export type Earlier = () => Promise<void> | null;

export interface SocketOptions extends Omit<LineOptions, 'hear' | 'ended'> {
  readonly creds: AuthenticationCreds;
  readonly deviceId?: number | undefined;
  readonly log: Logger;
}

/** Bytes. */
const maxRoute = 4_096;

interface Events {
  open: [];
  /** Emitted once, last, when the connection is closed. */
  end: [error: unknown];
  /** Fields of the credentials that have changed. */
  credentials: [changed: Partial<AuthenticationCreds>];
}

export class Socket extends EventEmitter<Events> {
  readonly creds: AuthenticationCreds;
  readonly line: Line;
  readonly stanzas: Stanzas;
  readonly #options: SocketOptions;
  readonly #queries: Queries;
  /** True for a stanza that is passed to `go` later; null: none is. */
  holds: ((node: BinaryNode, go: (node: BinaryNode, isRefused: boolean) => void) => boolean) | null = null;
  #hasEnded = false;

  constructor(options: SocketOptions) {
    super();
    this.setMaxListeners(0);
    this.#options = options;
    this.creds = options.creds;
    this.line = new Line({ ...options, hear: this.#hear, ended: (error) => void this.end(error) });
    this.#queries = new Queries((nodes) => this.line.send(nodes));
    this.stanzas = new Stanzas((error, { tag }) =>
      options.log.error({ error: messageOf(error), tag }, 'a stanza could not be handled'),
    );
    this.stanzas.on('iq', (node) => this.#queries.take(node));
    // The rejection of a call is answered by an ack.
    this.stanzas.on('ack', (node) => this.#queries.take(node), { class: 'call' });
    this.stanzas.on('ib', (node) => this.#keepRoute(node), { child: 'edge_routing' });
    this.stanzas.on('ib', (node) => void this.end(endBy(node)), { child: 'downgrade_webclient' });
    for (const tag of endingTags) this.stanzas.on(tag, (node) => void this.end(endBy(node)));
  }

  get isOpen(): boolean {
    return !this.#hasEnded && this.line.isOpen;
  }

  nextId(): string {
    return this.#queries.nextId();
  }

  /** Rejects with Refused, NoAnswer, or the error that ended the connection. */
  query(node: BinaryNode, timeoutMs?: number): Promise<BinaryNode> {
    return this.#queries.query(node, timeoutMs);
  }

  askTogether(nodes: readonly BinaryNode[], timeoutMs?: number): Promise<readonly (BinaryNode | null)[]> {
    return this.#queries.askTogether(nodes, timeoutMs);
  }

  usync(query: UsyncQuery): Promise<UsyncAnswer | null> {
    return runUsync(this.#queries, query);
  }

  sendNode(node: BinaryNode): Promise<void> {
    return this.line.write(node);
  }

  update(changed: Partial<AuthenticationCreds>): void {
    Object.assign(this.creds, changed);
    this.emit('credentials', changed);
  }

  /** Fails open queries at once; `end` is emitted when the connection is closed. Only the first error counts. */
  async end(error: unknown = connectionClosed()): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#queries.end(error);
    await this.line.close();
    this.emit('end', error);
    this.removeAllListeners();
  }

  readonly #hear = (node: BinaryNode): void => {
    if (this.holds === null || !this.holds(node, this.#resume)) this.#dispatch(node);
  };

  #dispatch(node: BinaryNode): void {
    noteOperation({ kind: 'stanza', deviceId: this.#options.deviceId, stanza: node.tag });
    this.stanzas.dispatch(node);
    if (isUnknown(node)) this.line.sendInPassing([buildAckStanza(node)]);
  }

  readonly #resume = (node: BinaryNode, isRefused: boolean): void => {
    if (isRefused) this.line.sendInPassing([buildAckStanza(node)]);
    else this.#dispatch(node);
  };

  /** The next connection announces the network's route. */
  #keepRoute(node: BinaryNode): void {
    const route = getBinaryNodeChild(getBinaryNodeChild(node, 'edge_routing'), 'routing_info')?.content;
    if (!(route instanceof Uint8Array) || route.length > maxRoute) return;
    this.update({ routingInfo: Buffer.from(route) });
  }
}
