/** Whether a process keeps more and more: its memory over the time of a run. */
import type { Child } from '../support/child.ts';

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

const mega = 1_048_576;
/** What a run may keep for good reasons (caches that fill up), and the least that is worth a word. */
const allowedShare = 0.2;
const allowedBytes = 24 * mega;

/** Least squares: bytes a millisecond. */
const slopeOf = (samples: readonly Sample[]): number => {
  const mean = (pick: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length;
  const [meanAt, meanBytes] = [mean(({ atMs }) => atMs), mean(({ bytes }) => bytes)];
  const up = samples.reduce((sum, { atMs, bytes }) => sum + (atMs - meanAt) * (bytes - meanBytes), 0);
  const down = samples.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  return down === 0 ? 0 : up / down;
};

export class Memory {
  readonly #child: Child;
  readonly #samples: Sample[] = [];

  constructor(child: Child) {
    this.#child = child;
  }

  async sample(): Promise<void> {
    this.#samples.push({ atMs: performance.now(), bytes: await this.#child.ask<number>('heap') });
  }

  /** The first third, in which caches fill, does not count. */
  get #steady(): readonly Sample[] {
    return this.#samples.slice(Math.floor(this.#samples.length / 3));
  }

  /** Bytes by which it grew while it should not have, by the trend of all samples. */
  get #growth(): number {
    const samples = this.#steady;
    const lasted = (samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0);
    return slopeOf(samples) * lasted;
  }

  toString(): string {
    const bytes = this.#samples.map((sample) => sample.bytes / mega);
    const [first = 0, last = 0] = [bytes[0], bytes.at(-1)];
    return `${first.toFixed(1)} MB at first, ${last.toFixed(1)} MB at the end, trend ${(this.#growth / mega).toFixed(1)} MB`;
  }

  judge(name: string): string[] {
    const base = this.#steady[0]?.bytes ?? 0;
    const flat = this.#growth <= Math.max(allowedBytes, base * allowedShare);
    return flat ? [] : [`the memory of ${name} is not flat: ${this.toString()}`];
  }
}
