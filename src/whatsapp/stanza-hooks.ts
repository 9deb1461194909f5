/** Places itself before Baileys' own handling of a kind of stanza. */
import type { EventEmitter } from 'node:events';
import type { BinaryNode } from 'baileys';

type Handler = (node: BinaryNode) => unknown;

const onlyListener = (socket: EventEmitter, event: string): Handler => {
  const [listener, ...others] = socket.listeners(event);
  if (listener === undefined || others.length > 0) {
    throw new Error(`Baileys listens to ${event} in another way than this version is made for`);
  }
  return (node) => Reflect.apply(listener, socket, [node]);
};

/** Takes the place of Baileys' listener; gives it back to be called. */
export const replaceListener = (socket: EventEmitter, event: string, handler: Handler): Handler => {
  const original = onlyListener(socket, event);
  socket.removeAllListeners(event);
  socket.on(event, handler);
  return original;
};

/** The connection that stanzas come from. */
export type StanzaSource = EventEmitter & { readonly isOpen: boolean };

export interface Hook {
  readonly event: string;
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
export const runBefore = (socket: StanzaSource, { event, first, onFailure }: Hook): void => {
  let tail: Promise<void> = Promise.resolve();
  const handle = async (node: BinaryNode): Promise<void> => {
    if (!socket.isOpen) return;
    await first(node);
    original(node);
  };
  const original = replaceListener(socket, event, (node: BinaryNode) => {
    tail = tail.then(() => handle(node)).catch(onFailure);
  });
};
