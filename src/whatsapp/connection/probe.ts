/** Checks that a connection is alive: pings after silence, and answers the network's pings. */
import { type BinaryNode, getBinaryNodeChild, S_WHATSAPP_NET } from '../library/nodes.ts';
import type { StanzaSource, Socket } from '../socket/socket.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Line } from '../socket/line.ts';

// `xmlns`, as WhatsApp Web reads it, or a child `<ping>` (whatsapp-rust src/client.rs, zapo WaNodeOrchestrator.ts; 2026-08).
const isPing = (node: BinaryNode): boolean =>
  node.attrs.xmlns === 'urn:xmpp:ping' || getBinaryNodeChild(node, 'ping') !== undefined;

export const answerPings = (sock: StanzaSource, send: (nodes: BinaryNode[]) => void): void => {
  const answer = (node: BinaryNode): void => {
    const { id, from } = node.attrs;
    if (!isPing(node) || !from || !sock.isOpen) return;
    send([{ tag: 'iq', attrs: { to: from, type: 'result', ...(id && { id }) } }]);
  };
  sock.stanzas.on('iq', answer, { type: 'get' });
};

export interface ProbePace {
  /** Silence before a ping; two thirds of it unless the last stanza was a pong. */
  readonly silenceMs: number;
  readonly answerMs: number;
}

/** With the second until silence is noticed, an idle connection is pinged every half minute. */
export const usualPace: ProbePace = { silenceMs: 29_000, answerMs: 10_000 };

/** Unanswered pings in a row that end a connection, 64 s after its last pong (whatsmeow waits 3 minutes: `keepalive.go`, 2026-08-21). */
export const missedPings = 3;

/** Without a stanza by then, nobody at the other end speaks the protocol. */
const handshakeMs = 20_000;
const [shortestTickMs, longestTickMs] = [2, 1_000];

export interface Probed {
  readonly sock: Pick<Socket, 'nextId'>;
  readonly line: Pick<Line, 'send' | 'heard'>;
  readonly whenEnded: Set<(error: unknown) => void>;
}

/** Measured in ticks, so that a changed clock has no effect. */
interface Watched {
  readonly ask: () => void;
  readonly onDeaf: () => void;
  readonly line: Probed['line'];
  /** Only stanzas count, which come only after the handshake. */
  ready: boolean;
  asked: number;
  answered: boolean;
  /** Since anything was received, or a ping was sent. */
  ticks: number;
}

/** One timer for all connections, and a flag set by every stanza. A stalled process reads waiting stanzas before it judges. */
export class Probes {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #silence: number;
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
    // The ping may have been sent just before a tick.
    this.#answer = Math.ceil(answerMs / this.#tickMs) + 1;
    this.#handshake = Math.ceil(handshakeMs / this.#tickMs);
  }

  watch({ sock, line, whenEnded }: Probed, onDeaf: () => void): void {
    const ask = (): void => {
      const attrs = { id: sock.nextId(), to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' };
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
