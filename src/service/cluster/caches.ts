/** Short-lived caches of the cluster's tables: owners of devices, and whether leases hold. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { atMost } from '../../domain/at-most.ts';

export type Owner = { readonly here: true } | { readonly here: false; readonly url: string };

/** A node that no longer has the device says so, and the owner is looked up again. */
const ttl = 5_000;
const max = 20_000;

export class OwnerCache {
  readonly #owners: LRUCache<number, Owner>;

  constructor(clock: Clock) {
    this.#owners = new LRUCache({ ...atMost(max), ttl, ttlResolution: 0, perf: clock });
  }

  find(deviceId: number): Owner | undefined {
    return this.#owners.get(deviceId);
  }

  remember(deviceId: number, url: string): Owner {
    const owner = { here: false, url } as const;
    this.#owners.set(deviceId, owner);
    return owner;
  }

  forget(deviceId: number): void {
    this.#owners.delete(deviceId);
  }
}

type Held = ReadonlyMap<number, number>;

interface Answer {
  /** By a monotonic clock that also runs while the process is suspended. */
  readonly asked: number;
  readonly held: Promise<Held>;
}

/** This many checks within `ttl` mean a takeover: one query asks for all devices. */
const manyQuestions = 8;

export class LeaseCheckCache {
  readonly #ask: (deviceId?: number) => Promise<Held>;
  readonly #freshMs: number;
  readonly #taken = new Map<number, { readonly epoch: number; readonly asked: number }>();
  #all: Answer | null = null;
  #questions: number[] = [];

  constructor(freshMs: number, ask: (deviceId?: number) => Promise<Held>) {
    this.#freshMs = freshMs;
    this.#ask = ask;
  }

  remember(deviceId: number, epoch: number, asked: number): void {
    this.#taken.set(deviceId, { epoch, asked });
  }

  forget(deviceId: number): void {
    this.#taken.delete(deviceId);
  }

  clear(): void {
    this.#taken.clear();
    this.#all = null;
  }

  async holds(deviceId: number, epoch: number): Promise<boolean> {
    const taken = this.#taken.get(deviceId);
    if (taken !== undefined && taken.epoch === epoch && this.#isFresh(taken.asked)) return true;
    this.#taken.delete(deviceId);
    if (this.#isBusy()) {
      const { asked, held } = this.#askForAll();
      if ((await held).get(deviceId) === epoch && this.#isFresh(asked)) return true;
    }
    for (;;) {
      const asked = performance.now();
      const held = (await this.#ask(deviceId)).get(deviceId) === epoch;
      if (!held || this.#isFresh(asked)) return held;
    }
  }

  #isFresh(asked: number): boolean {
    return performance.now() - asked < this.#freshMs;
  }

  #isBusy(): boolean {
    this.#questions = [...this.#questions.filter((asked) => this.#isFresh(asked)), performance.now()].slice(
      -manyQuestions,
    );
    return this.#questions.length === manyQuestions;
  }

  #askForAll(): Answer {
    if (this.#all !== null && this.#isFresh(this.#all.asked)) return this.#all;
    const answer = { asked: performance.now(), held: this.#ask() };
    this.#all = answer;
    answer.held.catch(() => {
      if (this.#all === answer) this.#all = null;
    });
    return answer;
  }
}
