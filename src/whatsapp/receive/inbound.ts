/**
 * The messages that arrive, strictly in their order. Those that are waiting together and are plain (no keys, no settings,
 * nothing that Baileys acts on) are read together and committed together; then their receipts leave in one write. Every
 * other one goes to Baileys by itself, in its turn.
 */
import { type BinaryNode, buildAckStanza } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import type { Journal } from './journal.ts';
import type { Presence } from '../login/presence.ts';
import type { Line } from '../engine/line/line.ts';
import type { DecryptBatch } from '../signal/decrypt-batch.ts';
import { isPlaceholder } from './placeholders.ts';
import { type Earlier, likeLive, replaceListener } from '../engine/stanza-hooks.ts';
import { isStatusPost } from './unhandled.ts';

export interface InboundParts {
  readonly sock: WASocket;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly presence: Pick<Presence, 'isOnline'>;
  readonly journal: Journal;
  readonly decryptBatch: DecryptBatch;
  readonly onFailure: (error: unknown) => void;
}

/** More would keep the other devices of the process waiting. */
const mostTogether = 64;

/** As Baileys words it. */
const receiptOf = ({ attrs: { id, from, participant } }: BinaryNode, isOnline: boolean): BinaryNode => ({
  tag: 'receipt',
  attrs: {
    id: id!,
    to: from!,
    ...(participant === undefined ? {} : { participant }),
    ...(isOnline ? {} : { type: 'inactive' }),
  },
});

class Inbound {
  readonly #parts: InboundParts;
  #engine: (node: BinaryNode) => unknown = () => undefined;
  #waiting: BinaryNode[] = [];
  #running = false;
  /** How many have come, and how many of them are done with. */
  #came = 0;
  #done = 0;
  /** Waiters for the first `count` messages to be done, in order of `count`. */
  #behind: { readonly count: number; readonly resolve: () => void }[] = [];
  /** How many are tried together: few after a failure, for what was read of those behind it was read in vain. */
  #width = mostTogether;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  attach(): void {
    const { sock, line } = this.#parts;
    this.#engine = replaceListener(sock.ws, 'CB:message', (node) => {
      if (isStatusPost(node)) return line.sendInPassing([buildAckStanza(node, undefined, sock.authState.creds.me?.id)]);
      this.#waiting.push(node);
      this.#came += 1;
      if (!this.#running) void this.#run();
    });
  }

  /** Receipts and calls do not overtake messages: an event of theirs would come before that of the message which it is about. */
  readonly earlier: Earlier = () => {
    if (this.#done === this.#came) return null;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#behind.push({ count: this.#came, resolve });
    return promise;
  };

  #doneTo(count: number): void {
    this.#done = count;
    while (this.#behind.length > 0 && this.#behind[0]!.count <= count) this.#behind.shift()!.resolve();
  }

  async #run(): Promise<void> {
    const { sock, onFailure } = this.#parts;
    this.#running = true;
    // What came in one packet is handed over within one turn.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      // What is left unacknowledged is delivered again.
      if (!sock.ws.isOpen) this.#waiting = [];
      else await this.#step().catch(onFailure);
      this.#doneTo(this.#came - this.#waiting.length);
    }
    this.#running = false;
  }

  async #step(): Promise<void> {
    const { journal } = this.#parts;
    const first = this.#waiting.slice(0, this.#width);
    const end = first.findIndex((node) => !journal.isPlain(node));
    const plain = end === -1 ? first : first.slice(0, end);
    try {
      const done = plain.length === 0 ? 0 : await this.#together(plain);
      this.#width = done < plain.length ? Math.max(1, done) : Math.min(2 * this.#width, mostTogether);
      if (done > 0) {
        this.#waiting.splice(0, done);
        return;
      }
    } catch (error) {
      // Nothing of it is kept, and nothing behind it may overtake it: the connection ends now.
      this.#waiting = [];
      throw error;
    }
    const node = this.#waiting.shift()!;
    await journal.begin(node);
    if (isPlaceholder(node)) {
      await journal.placeholders.take(node);
      const { sock, line } = this.#parts;
      if (sock.ws.isOpen) line.sendInPassing([buildAckStanza(node, undefined, sock.authState.creds.me?.id)]);
      return;
    }
    if (this.#parts.sock.ws.isOpen) await this.#engine(likeLive(node));
  }

  async #together(nodes: readonly BinaryNode[]): Promise<number> {
    const { sock, line, presence, journal, decryptBatch } = this.#parts;
    const messages = await journal.enclosedIn(nodes);
    if (messages.length === 0) return 0;
    const done = await decryptBatch(messages, journal.onPlain());
    if (!sock.ws.isOpen) return done;
    line.sendInPassing(nodes.slice(0, done).map((node) => receiptOf(node, presence.isOnline)));
    return done;
  }
}

/** Gives how the other kinds of stanzas wait for the messages before them. */
export const attachInbound = (parts: InboundParts): Earlier => {
  const inbound = new Inbound(parts);
  inbound.attach();
  return inbound.earlier;
};
