/** The shapes of the traffic of Handset in all journeys, for the baseline of `handset capture compare`. */
import { type Addressing, startHandset } from './clients.ts';
import { journeys } from './journeys/all.ts';
import { play } from './play.ts';

const networks: readonly Addressing[] = ['lenient', 'strict'];

export const playAll = async (): Promise<ReadonlySet<string>> => {
  const shapes = new Set<string>();
  for (const journey of journeys) {
    for (const played of await Promise.all(networks.map((network) => play(journey, startHandset, network)))) {
      for (const shape of played.shapes) shapes.add(shape);
    }
  }
  return shapes;
};
