/** Notices a connection that is open but deaf: after a silence something is asked that must come back. */
import { S_WHATSAPP_NET } from 'baileys';
import type { Clock, Timer } from '../domain/clock.ts';
import type { Link } from './link.ts';

export interface ProbePace {
  /** After so long without a word the network is asked. */
  readonly silenceMs: number;
  /** It has so long to answer. */
  readonly answerMs: number;
}

export const usualPace: ProbePace = { silenceMs: 20_000, answerMs: 10_000 };

/** Who has not heard a stanza by then has reached nobody who speaks the protocol. */
const handshakeMs = 20_000;

/**
 * Keeps the connection alive too, in the place of Baileys' own keep-alive, which takes up to a minute and a half to find
 * out. One timer a connection, and a flag that every stanza sets.
 */
export const probe = (
  { sock, whenEnded }: Pick<Link, 'sock' | 'whenEnded'>,
  { silenceMs, answerMs }: ProbePace,
  clock: Clock,
  onDeaf: () => void,
): void => {
  let timer: Timer;
  /** Only stanzas count, and they come only after the handshake. */
  let ready = false;
  let heard = false;
  const began = clock.now();
  const ask = (): void => {
    const attrs = { id: sock.generateMessageTag(), to: S_WHATSAPP_NET, type: 'get', xmlns: 'w:p' };
    // When it cannot even be sent, nothing will come back.
    sock.sendNode({ tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }).catch(() => {});
    timer = clock.after(answerMs, () => {
      // A process that was held up itself finds the answer only now.
      if (!heard) timer = clock.after(answerMs / 10, judge);
      else listen();
    });
  };
  const judge = (): void => (heard ? listen() : onDeaf());
  const listen = (): void => {
    heard = false;
    timer = clock.after(silenceMs, () => {
      if (ready) return heard ? listen() : ask();
      return clock.now() - began < handshakeMs ? listen() : onDeaf();
    });
  };
  sock.ws.on('frame', (frame: unknown) => {
    if (frame instanceof Uint8Array) return;
    ready = true;
    heard = true;
  });
  whenEnded.add(() => timer.cancel());
  listen();
};
