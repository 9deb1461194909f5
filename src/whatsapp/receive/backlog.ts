/**
 * Requests the backlog queued by the network. The network announces it with `<offline_preview>`, delivers only as much as is requested,
 * and nothing live before `<offline>`.
 * WhatsApp Web requests 200 at a time, at most once in 100 ms, until `<offline>` or 60 s of silence (whatsapp-rust #629, 2026-05-15; zapo
 * #269, 2026-08-28). The announced number is an estimate and ends nothing. whatsmeow (2026-08-21) requests nothing at all.
 */
import type { Backlog } from '../../domain/sessions/state.ts';
import type { Clock, Timer } from '../../domain/clock.ts';
import type { Logger } from '../../log.ts';
import type { Line } from '../socket/line.ts';
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import type { Stanzas } from '../socket/socket.ts';

const windowSize = 200;
const pauseMs = 100;
const silenceMs = 60_000;
/** Stanzas held in memory above which the next request waits. */
const maxUnhandled = 2 * windowSize;
/** Minimum interval of progress reports, each of which is a database write in a cluster. */
const progressMs = 1_000;

export interface BacklogOptions {
  readonly deviceId: number;
  readonly line: Pick<Line, 'send'>;
  readonly unhandled: () => number;
  readonly tell: (backlog: Backlog) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

const countIn = (node: BinaryNode): number | null => {
  const count = getBinaryNodeChild(node, 'offline_preview')?.attrs['count'] ?? '';
  return /^\d{1,10}$/.test(count) ? Number(count) : null;
};

export class BacklogRequests {
  readonly #options: BacklogOptions;
  #state: Backlog['state'] | null = null;
  #announced: number | null = null;
  #requested = 0;
  #received = 0;
  #startedAt = 0;
  #toldAt = 0;
  #outstanding = 0;
  #pause: Timer | null = null;
  #silence: Timer | null = null;

  constructor(options: BacklogOptions) {
    this.#options = options;
  }

  attach(stanzas: Stanzas): void {
    const arrive = ({ attrs }: BinaryNode): void => {
      if (attrs['offline'] !== undefined) this.#arrived();
    };
    const { observers } = stanzas;
    observers.add(arrive);
    const announced = (node: BinaryNode): void => {
      observers.add(arrive);
      this.#announce(countIn(node));
    };
    const complete = (): void => {
      observers.delete(arrive);
      this.#complete();
    };
    stanzas.on('ib', announced, { child: 'offline_preview' });
    stanzas.on('ib', complete, { child: 'offline' });
  }

  end(): void {
    this.#cancel();
    if (this.#state !== 'receiving') return;
    this.#options.log.info(
      this.#facts(),
      'the connection ended before the backlog did; the rest comes with the next one',
    );
  }

  #announce(announced: number | null): void {
    this.#announced = announced;
    if (this.#state === 'receiving') return;
    this.#startedAt = this.#options.clock.now();
    this.#requested = 0;
    this.#received = 0;
    this.#outstanding = 0;
    this.#toldAt = -Infinity;
    this.#receive();
  }

  #receive(): void {
    this.#state = 'receiving';
    this.#listen();
    this.#request();
  }

  #arrived(): void {
    this.#received += 1;
    this.#outstanding = Math.max(0, this.#outstanding - 1);
    // The network resumes after a long silence.
    if (this.#state === 'stalled') return this.#receive();
    if (this.#state !== 'receiving') return;
    this.#listen();
    if (this.#outstanding <= windowSize / 2) this.#requestNext();
    else this.#pause ??= this.#options.clock.after(pauseMs, this.#requestNext);
  }

  readonly #requestNext = (): void => {
    this.#pause?.cancel();
    this.#pause = null;
    if (this.#options.unhandled() <= maxUnhandled) return this.#request();
    this.#listen();
    this.#pause = this.#options.clock.after(pauseMs, this.#requestNext);
  };

  #request(): void {
    const { line, clock } = this.#options;
    this.#requested += windowSize;
    this.#outstanding += windowSize;
    const batch: BinaryNode = { tag: 'offline_batch', attrs: { count: String(windowSize) } };
    line.send([{ tag: 'ib', attrs: {}, content: [batch] }]);
    if (clock.now() - this.#toldAt >= progressMs) this.#tell(null);
  }

  #listen(): void {
    this.#silence?.cancel();
    this.#silence = this.#options.clock.after(silenceMs, () => this.#stall());
  }

  #stall(): void {
    this.#cancel();
    this.#state = 'stalled';
    this.#options.log.warn(this.#facts(), 'the network has not finished delivering what waited');
    this.#tell(null);
  }

  #complete(): void {
    if (this.#state === 'complete') return;
    this.#cancel();
    const now = this.#options.clock.now();
    if (this.#state === null) this.#startedAt = now;
    this.#state = 'complete';
    this.#options.log.info({ ...this.#facts(), ms: now - this.#startedAt }, 'what waited at the network has arrived');
    this.#tell(now);
  }

  #facts() {
    const { deviceId } = this.#options;
    return { deviceId, announced: this.#announced, requested: this.#requested, received: this.#received };
  }

  #tell(completedAt: number | null): void {
    if (this.#state === null) return;
    this.#toldAt = this.#options.clock.now();
    const { deviceId: _, ...facts } = this.#facts();
    this.#options.tell({ state: this.#state, ...facts, startedAt: this.#startedAt, completedAt });
  }

  #cancel(): void {
    this.#pause?.cancel();
    this.#silence?.cancel();
    this.#pause = null;
    this.#silence = null;
  }
}
