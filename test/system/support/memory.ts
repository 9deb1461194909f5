/** Whether a process keeps more and more: its memory over the time of a run. */
import type { Child } from './child.ts';

interface Sample {
  readonly atMs: number;
  readonly bytes: number;
}

const mega = 1_048_576;
/** Allowed growth of a run, for caches that fill up: a share of the present memory, or a number of bytes if that is less. */
interface Allowed {
  readonly share: number;
  readonly bytes: number;
}

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
  readonly #allowed: Allowed;
  readonly #samples: Sample[] = [];

  constructor(child: Child, allowed: Allowed = { share: 0.2, bytes: 24 * mega }) {
    this.#child = child;
    this.#allowed = allowed;
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

  /** Megabytes of each sample. */
  get megabytes(): readonly number[] {
    return this.#samples.map((sample) => sample.bytes / mega);
  }

  get trendMb(): number {
    return this.#growth / mega;
  }

  toString(): string {
    const { megabytes } = this;
    const [first = 0, last = 0] = [megabytes[0], megabytes.at(-1)];
    return `${first.toFixed(1)} MB at first, ${last.toFixed(1)} MB at the end, trend ${this.trendMb.toFixed(1)} MB`;
  }

  judge(name: string): string[] {
    const base = this.#steady[0]?.bytes ?? 0;
    const flat = this.#growth <= Math.max(this.#allowed.bytes, base * this.#allowed.share);
    return flat ? [] : [`the memory of ${name} is not flat: ${this.toString()}`];
  }
}
