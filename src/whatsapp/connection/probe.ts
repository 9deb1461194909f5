/** Whether a connection is alive: after a silence something is asked that must come back, and the network's own questions are answered. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Line } from '../engine/line/line.ts';

// Stock Baileys 7.0.0-rc14 leaves them unanswered. Forms: the attribute `xmlns`, as WhatsApp Web reads it, and a child `<ping>` (whatsapp-rust
// src/client.rs, zapo WaNodeOrchestrator.ts; 2026-08).
const isPing = (node: BinaryNode): boolean =>
  node.attrs.xmlns === 'urn:xmpp:ping' || getBinaryNodeChild(node, 'ping') !== undefined;

export const answerPings = (ws: Pick<WASocket['ws'], 'on' | 'isOpen'>, send: (nodes: BinaryNode[]) => void): void => {
  ws.on('CB:iq,type:get', (node: BinaryNode) => {
    const { id, from } = node.attrs;
    if (!isPing(node) || !from || !ws.isOpen) return;
    send([{ tag: 'iq', attrs: { to: from, type: 'result', ...(id && { id }) } }]);
  });
};

export interface ProbePace {
  /** After so long without a word the network is asked: after two thirds of it where the last one was no answer to that. */
  readonly silenceMs: number;
  /** It has so long to answer each question. */
  readonly answerMs: number;
}

/** With the second until it is noticed, an idle connection is asked every half minute. */
export const usualPace: ProbePace = { silenceMs: 29_000, answerMs: 10_000 };

/**
 * A connection is given up after so many questions in a row without an answer: a packet is lost, or the network is slow, more often than a connection is dead.
 * whatsmeow goes on for three minutes (`keepalive.go`, 2026-08-21), stock Baileys rc14 gives up after 35 s of silence. With the
 * usual pace a dead connection ends 64 s after the last answer at the latest, and 54 s after the last message.
 */
export const missedPings = 3;

/** A connection without a stanza by then has reached nobody who speaks the protocol. */
const handshakeMs = 20_000;
const [shortestTickMs, longestTickMs] = [2, 1_000];

/** The parts of a connection that the probe needs. */
export interface Probed {
  readonly sock: Pick<WASocket, 'generateMessageTag'>;
  readonly line: Pick<Line, 'send' | 'heard'>;
  /** Called when the connection has ended. */
  readonly whenEnded: Set<(error: unknown) => void>;
}

/** One connection, in ticks: nobody reads a clock for it, so one that is set changes nothing. */
interface Watched {
  readonly ask: () => void;
  readonly onDeaf: () => void;
  /** Has heard something since the last tick. */
  readonly line: Probed['line'];
  /** Only stanzas count, and they come only after the handshake. */
  ready: boolean;
  /** Questions since something was heard. */
  asked: number;
  /** The last word was an answer. */
  answered: boolean;
  /** Since something was heard, or asked. */
  ticks: number;
}

/**
 * Keeps connections alive too, in the place of Baileys' own keep-alive, which takes up to a minute and a half to find
 * out. One timer for all connections, and a flag of the line that every stanza sets. A process that was held up finds the answers before the next tick, and so
 * before it judges.
 */
export class Probes {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #silence: number;
  /** After traffic, silence is news. */
  readonly #firstSilence: number;
  readonly #answer: number;
  readonly #handshake: number;
  readonly #watched = new Set<Watched>();
  #timer: Timer | null = null;

  constructor(clock: Clock, { silenceMs, answerMs }: ProbePace = usualPace) {
    this.#clock = clock;
    this.#tickMs = Math.min(longestTickMs, Math.max(shortestTickMs, Math.min(silenceMs, answerMs) / 10));
    this.#silence = Math.ceil(silenceMs / this.#tickMs);
    this.#firstSilence = Math.ceil((silenceMs * 2) / 3 / this.#tickMs);
    // The question may have left just before a tick.
    this.#answer = Math.ceil(answerMs / this.#tickMs) + 1;
    this.#handshake = Math.ceil(handshakeMs / this.#tickMs);
  }

  watch({ sock, line, whenEnded }: Probed, onDeaf: () => void): void {
    const ask = (): void => {
      const attrs = { id: sock.generateMessageTag(), to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' };
      line.send([{ tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }]);
    };
    const watched: Watched = { ask, onDeaf, line, ready: false, asked: 0, answered: false, ticks: 0 };
    this.#watched.add(watched);
    whenEnded.add(() => this.#forget(watched));
    this.#timer ??= this.#next();
  }

  #forget(watched: Watched): void {
    this.#watched.delete(watched);
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #next(): Timer {
    return this.#clock.after(this.#tickMs, () => {
      this.#timer = this.#next();
      for (const watched of this.#watched) this.#look(watched);
    });
  }

  #limit({ ready, asked, answered }: Watched): number {
    if (!ready) return this.#handshake;
    if (asked > 0) return this.#answer;
    return answered ? this.#silence : this.#firstSilence;
  }

  #look(watched: Watched): void {
    if (watched.line.heard) {
      watched.line.heard = false;
      watched.ready = true;
      watched.answered = watched.asked > 0;
      watched.asked = 0;
      watched.ticks = 0;
      return;
    }
    watched.ticks += 1;
    if (watched.ticks < this.#limit(watched)) return;
    watched.ticks = 0;
    if (watched.ready && watched.asked < missedPings) {
      watched.asked += 1;
      watched.ask();
      return;
    }
    this.#forget(watched);
    watched.onDeaf();
  }
}
