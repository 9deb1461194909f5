/** The others, in a process of their own: `/health/live` asked all the time, and tenants who keep to the limit. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveCommands } from '../support/child.ts';
import { ask } from '../load/ask.ts';

export interface Tenant {
  readonly key: string;
  readonly device: number;
}

export interface Watch {
  readonly url: string;
  readonly tenants: readonly Tenant[];
}

export interface Seen {
  /** Milliseconds of the slowest answer of `/health/live`. */
  readonly worstHealthMs: number;
  /** Milliseconds in which 99 of 100 answers to the tenants came. */
  readonly p99Ms: number;
  readonly answers: number;
  /** Answers to the tenants that were none, by status or error. */
  readonly failures: Readonly<Record<string, number>>;
}

const healthEveryMs = 20;
/** Requests of a tenant: 86 a minute, of the 100 that it has. */
const tenantEveryMs = 700;

let end = new AbortController();
let watching: Promise<Seen> | null = null;

const watch = async ({ url, tenants }: Watch, ended: AbortSignal): Promise<Seen> => {
  const agent = new Agent({ keepAlive: true });
  const failures: Record<string, number> = {};
  const fail = (what: string): void => void (failures[what] = (failures[what] ?? 0) + 1);
  let worstHealthMs = 0;
  const times: number[] = [];
  const health = async (): Promise<void> => {
    while (!ended.aborted) {
      const began = performance.now();
      await ask(agent, url, '', 'GET', '/health/live').catch((error: Error) => fail(`health: ${error.message}`));
      worstHealthMs = Math.max(worstHealthMs, performance.now() - began);
      await sleep(healthEveryMs);
    }
  };
  const tenant = async ({ key, device }: Tenant, index: number): Promise<void> => {
    await sleep((tenantEveryMs * index) / tenants.length);
    const paths = [`/v1/devices/${device}/messages?limit=20`, '/v1/devices'];
    for (let n = 0; !ended.aborted; n += 1) {
      const began = performance.now();
      const answer = await ask(agent, url, key, 'GET', paths[n % 2]!).catch((error: Error) => fail(error.message));
      const ms = performance.now() - began;
      if (typeof answer === 'object' && answer.status !== 200) fail(String(answer.status));
      times.push(ms);
      await sleep(Math.max(0, tenantEveryMs - ms));
    }
  };
  await Promise.all([health(), ...tenants.map(tenant)]);
  agent.destroy();
  const p99Ms = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
  return { worstHealthMs, p99Ms, answers: times.length, failures };
};

serveCommands({
  start(given: Watch) {
    end = new AbortController();
    watching = watch(given, end.signal);
  },
  end() {
    end.abort();
    return watching;
  },
});
