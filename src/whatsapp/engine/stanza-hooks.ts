/** Places itself before Baileys' own handling of a kind of stanza. */
import type { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { BinaryNode } from 'baileys';

type Handler<T = BinaryNode> = (given: T) => unknown;

const onlyListener = <T>(socket: EventEmitter, event: string): Handler<T> => {
  const [listener, ...others] = socket.listeners(event);
  if (listener === undefined || others.length > 0) {
    throw new Error(`Baileys listens to ${event} in another way than this version is made for`);
  }
  return (given) => Reflect.apply(listener, socket, [given]);
};

/** The events whose one listener of Baileys is replaced or wrapped: each has its row in docs/engine.md. */
export type Replaced =
  | 'open'
  | 'message'
  | 'CB:message'
  | 'CB:receipt'
  | 'CB:call'
  | 'CB:notification'
  | 'CB:success'
  | 'CB:iq,type:set,pair-device'
  | 'CB:iq,,pair-success';

/** Takes the place of Baileys' listener, and returns it. */
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

/** The connection that stanzas come from. */
export type StanzaSource = EventEmitter & { readonly isOpen: boolean };

/** Resolves once what came earlier, of another kind, has been handled; null: it has been. */
export type Earlier = () => Promise<void> | null;

export interface Hook {
  readonly event: Replaced;
  /** The others go to Baileys at once. */
  readonly only?: (node: BinaryNode) => boolean;
  readonly earlier?: Earlier;
  readonly first: (node: BinaryNode) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Baileys puts what has waited at the network aside, and goes on with what comes live: of one chat the newest messages
 * would come first. The order of the stanzas is the right one already.
 */
export const likeLive = (node: BinaryNode): BinaryNode => {
  const { offline: _, ...attrs } = node.attrs;
  return { ...node, attrs };
};

/**
 * Runs `first` to its end before Baileys sees the stanza, in the order of arrival. When it fails, or the connection has
 * ended meanwhile, Baileys never sees it: the stanza stays unacknowledged, and the network delivers it again.
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

export interface TogetherHook {
  readonly event: Replaced;
  readonly earlier?: Earlier;
  readonly first: (nodes: readonly BinaryNode[]) => Promise<void>;
  /** `engine`: Baileys' own handling. */
  readonly last: (nodes: readonly BinaryNode[], engine: Handler) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Batch cap, so that a burst of stanzas cannot block the event loop. */
const mostTogether = 64;

/** As `runBefore`, for all stanzas at once that wait at the same time. */
export const runTogether = (socket: StanzaSource, { event, earlier, first, last, onFailure }: TogetherHook): void => {
  let waiting: BinaryNode[] = [];
  /** Resolves when what came before the newest that waits has been handled. */
  let before: Promise<void> | null = null;
  let running = false;
  const run = async (): Promise<void> => {
    // What comes in one turn of the event loop goes together.
    await setImmediate();
    try {
      while (waiting.length > 0) {
        const nodes = waiting.splice(0, mostTogether);
        if (before !== null) await before;
        if (!socket.isOpen) waiting = [];
        else await first(nodes);
        if (socket.isOpen) last(nodes, engine);
      }
    } catch (error) {
      waiting = [];
      onFailure(error);
    }
    running = false;
  };
  const engine = replaceListener(socket, event, (node) => {
    waiting.push(node);
    before = earlier?.() ?? null;
    if (!running) void run();
    running = true;
  });
};
