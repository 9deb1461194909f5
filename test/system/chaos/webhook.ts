/** The receiver of webhooks: fails now and then while it may, and notes what it got. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Behaviour, Receiver } from '../../support/receiver.ts';
import type { Random } from '../support/random.ts';

export interface Moods {
  /** Share of the posts that it does not take as it should. */
  readonly badShare: number;
  /** Also leaves posts without any answer, which costs the service its whole timeout. */
  readonly hangs: boolean;
}

const slowMs = 600;

const badly = async (random: Random, hangs: boolean): Promise<Behaviour> => {
  const mood = random.pick(['refuse', 'refuse', 'reset', 'reset', 'slow', 'slow', hangs ? 'hang' : 'slow'] as const);
  switch (mood) {
    case 'refuse':
      return { status: random.pick([500, 503, 404, 302]) };
    case 'reset':
      return 'reset';
    case 'slow':
      await sleep(random.between(50, slowMs));
      return { status: 200 };
    case 'hang':
      return 'hang';
  }
};

export const beMoody = (receiver: Receiver, random: Random, { badShare, hangs }: Moods): void => {
  receiver.answer(() => (random.chance(badShare) ? badly(random, hangs) : { status: 200 }));
};

export const beWell = (receiver: Receiver): void => receiver.answer({ status: 200 });
