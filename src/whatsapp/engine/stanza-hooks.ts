/** Runs before Baileys' handling of a kind of stanza. */
import type { EventEmitter } from 'node:events';
import type { BinaryNode } from 'baileys';

export type Handler<T = BinaryNode> = (given: T) => unknown;

const onlyListener = <T>(socket: EventEmitter, event: string): Handler<T> => {
  const [listener, ...others] = socket.listeners(event);
  if (listener === undefined || others.length > 0) {
    throw new Error(`Baileys listens to ${event} in an unexpected way`);
  }
  return (given) => Reflect.apply(listener, socket, [given]);
};

/** Events whose single Baileys listener is replaced or wrapped: each has its row in docs/internals/engine.md. */
export type Replaced =
  | 'open'
  | 'message'
  | 'CB:message'
  | 'CB:receipt'
  | 'CB:call'
  | 'CB:notification'
  | 'CB:success'
  | 'CB:ib,,offline_preview'
  | 'CB:iq,type:set,pair-device'
  | 'CB:iq,,pair-success';

/** Replaces Baileys' listener, and returns it. */
export const replaceListener = <T = BinaryNode>(
  socket: EventEmitter,
  event: Replaced,
  handler: Handler<T>,
): Handler<T> => {
  const original = onlyListener<T>(socket, event);
  socket.removeAllListeners(event);
  socket.on(event, handler);
  return original;
};

/** The connection that emits stanzas. */
export type StanzaSource = EventEmitter & { readonly isOpen: boolean };

/** Resolves once earlier stanzas of other kinds are handled; null: they already are. */
export type Earlier = () => Promise<void> | null;

export interface Hook {
  readonly event: Replaced;
  /** Others go to Baileys directly. */
  readonly only?: (node: BinaryNode) => boolean;
  readonly earlier?: Earlier;
  readonly first: (node: BinaryNode) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Baileys postpones queued stanzas and handles live ones first, so the newest messages of a chat would come first. Arrival order is right
 * already.
 */
export const likeLive = (node: BinaryNode): BinaryNode => {
  const { offline: _, ...attrs } = node.attrs;
  return { ...node, attrs };
};

/**
 * Completes `first` before Baileys sees the stanza, in order of arrival. If it fails or the connection ends, Baileys never sees the
 * stanza: it stays unacknowledged, and the network delivers it again.
 */
export const runBefore = (socket: StanzaSource, { event, only, earlier, first, onFailure }: Hook): void => {
  let tail: Promise<void> = Promise.resolve();
  const handle = async (node: BinaryNode): Promise<void> => {
    if (!socket.isOpen) return;
    await first(node);
    original(node);
  };
  const original = replaceListener(socket, event, (node: BinaryNode) => {
    if (only?.(node) === false) return void original(node);
    const before = earlier?.() ?? null;
    tail = tail
      .then(() => before)
      .then(() => handle(node))
      .catch(onFailure);
  });
};
