/** An account that grows old: idle, away for an hour, a day, eight days and four weeks, and writing after each. */
import { bob } from '../../flows/steps.ts';
import { type Scenario, sendText } from '../scenarios.ts';

export interface Age {
  readonly scenario: Scenario;
  /** Passes second by second after the scenario, while the client is connected. */
  readonly passes?: number;
  /** Passes at once before the scenario. */
  readonly jumps?: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const away = (name: string, ms: number): readonly Age[] => [
  {
    scenario: {
      name: `login after ${name}`,
      before: (client) => client.disconnect(),
      run: (client) => client.connect(),
    },
    jumps: ms,
  },
  { scenario: { name: `text after ${name}`, run: (client) => sendText(client, bob, `after ${name}`) } },
];

export const aging: readonly Age[] = [
  { scenario: { name: 'pairing by QR', run: (client) => client.link() } },
  { scenario: { name: 'text to a new person', run: (client) => sendText(client, bob, 'hello') } },
  { scenario: { name: 'ten idle minutes', run: async () => {} }, passes: 10 * minuteMs },
  ...away('an hour', hourMs),
  ...away('a day', 24 * hourMs),
  ...away('eight days', 8 * 24 * hourMs),
  ...away('four weeks', 28 * 24 * hourMs),
];
