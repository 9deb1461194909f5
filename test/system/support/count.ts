/** Counts what comes, and tells when it is enough. */
export class Count {
  #come = 0;
  #taken = 0;
  #waiting: { readonly until: number; readonly tell: () => void } | null = null;

  add(): void {
    this.#come += 1;
    if (this.#waiting === null || this.#come < this.#waiting.until) return;
    this.#waiting.tell();
    this.#waiting = null;
  }

  /** Resolves when so many more have come than were waited for before; one at a time. */
  more(count: number): Promise<void> {
    this.#taken += count;
    if (this.#come >= this.#taken) return Promise.resolve();
    return new Promise((tell) => {
      this.#waiting = { until: this.#taken, tell };
    });
  }
}
