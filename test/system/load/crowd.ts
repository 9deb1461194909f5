/**
 * The greedy ones, in a process of their own and at the lowest priority but one: on few cores they would otherwise take the
 * time of the service that is measured, which no limit of the service can forbid.
 */
import { setPriority } from 'node:os';
import { Agent } from 'node:http';
import { serveCommands } from '../support/child.ts';
import { ask, callOf } from './ask.ts';

export interface Crowd {
  readonly url: string;
  readonly key: string;
  readonly device: number;
  readonly clients: number;
}

export interface CrowdResult {
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests without an answer, by reason. */
  readonly failures: Readonly<Record<string, number>>;
}

const count = (of: Record<string, number>, name: string): void => {
  of[name] = (of[name] ?? 0) + 1;
};

const statuses: Record<string, number> = {};
const failures: Record<string, number> = {};
const stop = new AbortController();
let running: Promise<unknown> = Promise.resolve();

/** Asks again as soon as it is answered. */
const hammer = async ({ url, key, device }: Crowd, agent: Agent, first: number): Promise<void> => {
  for (let n = first; !stop.signal.aborted; n += 1) {
    try {
      count(statuses, String((await ask(agent, url, key, ...callOf(device, n))).status));
    } catch (error) {
      count(failures, error instanceof Error ? error.message : String(error));
    }
  }
};

serveCommands({
  start(crowd: Crowd) {
    setPriority(10);
    const agent = new Agent({ keepAlive: true, maxSockets: crowd.clients });
    running = Promise.all(Array.from({ length: crowd.clients }, (_, client) => hammer(crowd, agent, client)));
  },
  async end(): Promise<CrowdResult> {
    stop.abort();
    await running;
    return { statuses, failures };
  },
});
