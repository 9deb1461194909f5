/**
 * The messages that arrive, strictly in their order. Those that are waiting together and are plain (no keys, no settings,
 * nothing that Baileys acts on) are read together and committed together; then their receipts leave in one write. Every
 * other one goes to Baileys by itself, in its turn.
 */
import type { BinaryNode, WASocket } from 'baileys';
import type { Journal } from './journal.ts';
import type { Line } from './line/line.ts';
import type { ReadTogether } from './signal/together.ts';
import { likeLive, replaceListener } from './stanza-hooks.ts';

export interface InboundParts {
  readonly sock: WASocket;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly journal: Journal;
  readonly readTogether: ReadTogether;
  readonly onFailure: (error: unknown) => void;
}

/** More would keep the other devices of the process waiting. */
const mostTogether = 32;

/** As Baileys words it for an account that is not online, which a service never is. */
const receiptOf = ({ attrs: { id, from, participant } }: BinaryNode): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: id!, to: from!, ...(participant === undefined ? {} : { participant }), type: 'inactive' },
});

class Inbound {
  readonly #parts: InboundParts;
  #engine: (node: BinaryNode) => unknown = () => undefined;
  #waiting: BinaryNode[] = [];
  #running = false;
  /** How many are tried together: few after a failure, for what was read of those behind it was read in vain. */
  #width = mostTogether;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  attach(): void {
    this.#engine = replaceListener(this.#parts.sock.ws, 'CB:message', (node) => {
      this.#waiting.push(node);
      if (!this.#running) void this.#run();
    });
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
    if (this.#parts.sock.ws.isOpen) await this.#engine(likeLive(node));
  }

  async #together(nodes: readonly BinaryNode[]): Promise<number> {
    const { sock, line, journal, readTogether } = this.#parts;
    const messages = await journal.enclosedIn(nodes);
    if (messages.length === 0) return 0;
    const done = await readTogether(messages, journal.onPlain);
    if (!sock.ws.isOpen) return done;
    line.sendInPassing(nodes.slice(0, done).map(receiptOf));
    return done;
  }
}

export const attachInbound = (parts: InboundParts): void => {
  new Inbound(parts).attach();
};
