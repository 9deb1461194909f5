/** Users who keep to the limit, and the times of their answers. */
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, callOf } from './ask.ts';

export interface Quiet {
  readonly url: string;
  readonly key: string;
  readonly device: number;
}

export class Times {
  readonly reads: number[] = [];
  readonly sends: number[] = [];
  readonly refused: number[] = [];

  /** `count` requests of the users in turn, one each `paceMs`; `between` runs while none is under way. */
  async take(
    agent: Agent,
    users: readonly Quiet[],
    count: number,
    paceMs: number,
    between?: () => Promise<void>,
  ): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const { url, key, device } = users[n % users.length]!;
      const [method, path, body] = callOf(device, Math.floor(n / users.length));
      const { status, ms } = await ask(agent, url, key, method, path, body);
      if (status !== 200) this.refused.push(status);
      (method === 'GET' ? this.reads : this.sends).push(ms);
      const began = performance.now();
      await between?.();
      await sleep(Math.max(0, paceMs - ms - (performance.now() - began)));
    }
  }
}

const quantile = (numbers: readonly number[], q: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))] ?? Number.NaN;

/** Half and nearly all of the answers, alone and beside the crowd: a line to print, and what is wrong. */
export const compare = (
  name: string,
  alone: readonly number[],
  beside: readonly number[],
  slackMs: number,
): { readonly line: string; readonly problems: readonly string[] } => {
  const pairs = [
    ['p50', 0.5],
    ['p95', 0.95],
  ] as const;
  const found = pairs.map(([label, q]) => {
    const [before, during] = [quantile(alone, q), quantile(beside, q)];
    const text = `${label} ${before.toFixed(1)} -> ${during.toFixed(1)} ms (${(during / before).toFixed(2)}x)`;
    return { text, slow: during > 2 * before + slackMs && (slackMs === 0 || q === 0.5) };
  });
  return {
    line: `${name}: ${found.map(({ text }) => text).join(', ')}`,
    problems: found.filter(({ slow }) => slow).map(({ text }) => `${name} are slower than 2 times: ${text}`),
  };
};
