/** At most so many at a time; what a user waits for goes first. */

export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #urgent: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves with the way to give the slot back; calling that twice does no harm. */
  async take(urgent: boolean): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => (urgent ? this.#urgent : this.#waiting).push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    };
  }
}
