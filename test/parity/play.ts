/** Plays a journey with one client and gives, for each scenario, the lines that the client has sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ada, bob } from '../flows/steps.ts';
import { type Addressing, type Client, namesIn, type Start } from './clients.ts';
import { lineOf } from './lines.ts';
import { cyd, dot, type Journey } from './scenarios.ts';

/** Longer than what a client does by itself after a change; its timers of minutes are not waited for. */
const QUIET_MS = 600;

/** Until neither side has said anything for a while. */
const quiet = async (client: Client): Promise<void> => {
  for (let seen = -1; seen !== client.recorded.length; await sleep(QUIET_MS)) seen = client.recorded.length;
};

export const play = async (
  journey: Journey,
  start: Start,
  addressing: Addressing,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  await using client = await start(addressing);
  const { phones } = client;
  const people: [string, string][] = [
    [ada, 'Ada'],
    [bob, 'Bob'],
    [cyd, 'Cyd'],
    [dot, 'Dot'],
  ];
  for (const [number, name] of people) await phones.add(number, name);
  const names = await namesIn(phones);
  const lines = new Map<string, readonly string[]>();
  for (const scenario of journey.scenarios) {
    if (scenario.before !== undefined) {
      await scenario.before(client);
      await quiet(client);
    }
    const from = client.recorded.length;
    await scenario.run(client);
    await quiet(client);
    lines.set(
      scenario.name,
      client.recorded.slice(from).flatMap((entry) => lineOf(entry, ada, names) ?? []),
    );
  }
  return lines;
};
