/**
 * The messages that arrive, strictly in their order. Those that are waiting together and are plain (no keys, no settings,
 * nothing that Baileys acts on) are read together and committed together; then their receipts leave in one write. Every
 * other one goes to Baileys by itself, in its turn.
 *
 * Stanzas that nothing here reads are acknowledged all the same: the network delivers again what is not, and ends the stream.
 *
 * - `<status>`, the status posts of contacts since July 2026, is acked with `class="status"` and dropped: unacked it came 25
 *   times, and the stream ended every 50 minutes (whatsapp-rust #1101, 2026-07-25, live). whatsmeow takes it for the status post of a
 *   channel, reads that, and acks any other (a2381054, 2026-07-20).
 * - A message to `status@broadcast`, the older form, gets a plain ack. A refusal with 500 held back all that waited
 *   (Baileys #2779, August 2026).
 * - A stanza of a kind not known here is acked when it has `id` and `from`.
 */
import { type BinaryNode, buildAckStanza } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import type { Intake } from './intake.ts';
import type { Presence } from '../connection/presence.ts';
import type { Line } from '../engine/line/line.ts';
import type { DecryptBatch } from '../signal/batches.ts';
import type { BegunMessages } from './begun-messages.ts';
import { isPlaceholder } from './placeholders.ts';
import type { PlainMessage } from '../translate/parts/envelope.ts';
import { type Earlier, likeLive, replaceListener, type StanzaSource } from '../engine/stanza-hooks.ts';

export interface InboundParts {
  readonly sock: WASocket;
  readonly line: Pick<Line, 'sendInPassing'>;
  readonly presence: Pick<Presence, 'isOnline'>;
  readonly intake: Intake;
  readonly begun: Pick<BegunMessages, 'begin'>;
  readonly decryptBatch: DecryptBatch;
  readonly onFailure: (error: unknown) => void;
}

/** More would keep the other devices of the process waiting. */
const maxTogether = 64;

/** As Baileys words it. */
const receiptOf = ({ attrs: { id, from } }: BinaryNode, isOnline: boolean): BinaryNode => ({
  tag: 'receipt',
  attrs: { id: id!, to: from!, ...(isOnline ? {} : { type: 'inactive' }) },
});

export class Inbound {
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
  #width = maxTogether;

  constructor(parts: InboundParts) {
    this.#parts = parts;
  }

  attach(): void {
    const { sock, line } = this.#parts;
    acknowledgeUnhandled(sock.ws, (acks) => line.sendInPassing(acks));
    this.#engine = replaceListener(sock.ws, 'CB:message', (node) => {
      if (node.attrs.from === 'status@broadcast')
        return line.sendInPassing([buildAckStanza(node, undefined, sock.authState.creds.me?.id)]);
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

  /** Number of messages that have come and are not done with. */
  get unhandled(): number {
    return this.#came - this.#done;
  }

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
    const { intake, begun } = this.#parts;
    try {
      const { count, treatment } = await begun.begin(this.#waiting);
      if (treatment === 'refused') return await this.#refuse(this.#waiting.shift()!);
      if (treatment === 'unread') intake.leaveUnread(this.#waiting[0]!);
      const messages = await intake.enclosedIn(this.#waiting.slice(0, Math.min(this.#width, count)));
      const done = messages.length === 0 ? 0 : await this.#together(messages);
      this.#width = done < messages.length ? Math.max(1, done) : Math.min(2 * this.#width, maxTogether);
      if (done > 0) {
        this.#waiting.splice(0, done);
        return;
      }
    } catch (error) {
      // Nothing of it is kept, and nothing behind it may overtake it: the connection ends now.
      this.#waiting = [];
      throw error;
    }
    await this.#alone(this.#waiting.shift()!);
  }

  async #alone(node: BinaryNode): Promise<void> {
    const { sock, intake } = this.#parts;
    await intake.begin(node);
    if (isPlaceholder(node)) {
      await intake.placeholders.take(node);
      this.#acknowledge(node);
    } else if (sock.ws.isOpen) await this.#engine(likeLive(node));
  }

  async #refuse(node: BinaryNode): Promise<void> {
    await this.#parts.intake.refuse(node);
    this.#acknowledge(node);
  }

  #acknowledge(node: BinaryNode): void {
    const { sock, line } = this.#parts;
    if (sock.ws.isOpen) line.sendInPassing([buildAckStanza(node, undefined, sock.authState.creds.me?.id)]);
  }

  /** How many were read, from the front: as many as were committed. */
  async #together(messages: readonly PlainMessage[]): Promise<number> {
    const { sock, line, presence, intake, decryptBatch } = this.#parts;
    const done = await decryptBatch(messages, intake.onPlain());
    if (!sock.ws.isOpen) return done;
    const receipts: BinaryNode[] = [];
    for (const { stanza } of messages.slice(0, done)) receipts.push(receiptOf(stanza, presence.isOnline));
    line.sendInPassing(receipts);
    return done;
  }
}

/** Tags that Baileys or this driver handles, or that want no ack. */
const handled: ReadonlySet<string> = new Set([
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
  'stream:error',
  'stream:features',
  'success',
  'xmlstreamend',
]);

export const acknowledgeUnhandled = (
  socket: StanzaSource,
  acknowledge: (nodes: readonly BinaryNode[]) => void,
): void => {
  socket.on('frame', (node: BinaryNode) => {
    const { tag, attrs } = node;
    if (!handled.has(tag) && attrs.id !== undefined && attrs.from !== undefined) acknowledge([buildAckStanza(node)]);
  });
};
