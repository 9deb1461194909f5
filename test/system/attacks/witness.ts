/** The others, in a process of their own: `/health/live` asked every 20 ms, and tenants who keep to the limit. */
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveCommands } from '../support/child.ts';
import { ask, type Reply } from '../load/ask.ts';

export interface Tenant {
  readonly key: string;
  readonly device: number;
}

export interface Watch {
  readonly url: string;
  readonly tenants: readonly Tenant[];
  /** The number of a phone to which they write. */
  readonly friend: string;
  /** Requests of the tenants: reads, pictures of one pixel, or a device that connects again. */
  readonly asks: 'reads' | 'pictures' | 'restarts';
}

export interface Seen {
  /** Milliseconds of the slowest answer of `/health/live`. */
  readonly worstHealthMs: number;
  /** Milliseconds of each answer to the tenants. */
  readonly times: readonly number[];
  /** Answers to the tenants that were none, by status or error. */
  readonly failures: Readonly<Record<string, number>>;
}

const healthEveryMs = 20;
/** Between two requests of a tenant, ms; 700: 86 a minute, of the 100 that it has. */
const everyMsOf = { reads: 700, pictures: 6_000, restarts: 24_000 } as const;

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

let end = new AbortController();
let watching: Promise<Seen> | null = null;

const watch = async ({ url, tenants, friend, asks }: Watch, ended: AbortSignal): Promise<Seen> => {
  const agent = new Agent({ keepAlive: true });
  const tenantEveryMs = everyMsOf[asks];
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
    const base = `/v1/devices/${device}`;
    const reads = [`${base}/messages?limit=20`, '/v1/devices'];
    const call = async (n: number): Promise<Reply> => {
      if (asks === 'reads') return ask(agent, url, key, 'GET', reads[n % 2]!);
      if (asks === 'pictures')
        return ask(agent, url, key, 'POST', `${base}/messages/media`, { toNumber: friend, mediaBase64: pixel });
      const answer = await ask(agent, url, key, 'POST', `${base}/restart`);
      for (let status = ''; answer.status === 200 && status !== 'connected' && !ended.aborted;) {
        await sleep(1_000 / 4);
        status = (await ask(agent, url, key, 'GET', base)).body.device?.status;
      }
      return answer;
    };
    for (let n = 0; !ended.aborted; n += 1) {
      const began = performance.now();
      const answer = await call(n).catch((error: Error) => fail(error.message));
      const ms = performance.now() - began;
      if (typeof answer === 'object' && answer.status !== 200) fail(String(answer.status));
      times.push(ms);
      await sleep(Math.max(0, tenantEveryMs - ms));
    }
  };
  await Promise.all([health(), ...tenants.map(tenant)]);
  agent.destroy();
  return { worstHealthMs, times, failures };
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
