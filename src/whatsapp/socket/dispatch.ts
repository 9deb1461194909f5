/** Dispatches stanzas to handlers by tag, attributes and first child. */
import type { BinaryNode } from '../library/nodes.ts';

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

const fits = ({ attrs, content }: BinaryNode, where: Where): boolean => {
  if (where.type !== undefined && attrs['type'] !== where.type) return false;
  if (where.class !== undefined && attrs['class'] !== where.class) return false;
  return where.child === undefined || (Array.isArray(content) && content[0]?.tag === where.child);
};

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
    for (const observe of this.observers) this.#run(observe, node);
    for (const { handle, where } of this.#handlers.get(node.tag) ?? []) if (fits(node, where)) this.#run(handle, node);
  }

  #run(handle: Handle, node: BinaryNode): void {
    try {
      handle(node);
    } catch (error) {
      this.#onFailure(error, node);
    }
  }
}

export interface StanzaSource {
  readonly stanzas: Stanzas;
  readonly isOpen: boolean;
}

/** Resolves once the messages before a stanza of another kind are handled; null: they already are. */
export type Earlier = () => Promise<void> | null;
