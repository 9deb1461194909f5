/** Short-lived cache of lease checks. */

type Held = ReadonlyMap<number, number>;

interface Said {
  /** When the database was asked, by a clock that also runs while the process is paused. */
  readonly asked: number;
  readonly held: Promise<Held>;
}

/** From this many checks within the lifetime of an answer, all devices are asked about at once: a takeover is under way. */
const manyQuestions = 8;

export class Confirmed {
  readonly #ask: (deviceId?: number) => Promise<Held>;
  /** How long an answer is good for. */
  readonly #freshMs: number;
  readonly #came = new Map<number, { readonly epoch: number; readonly asked: number }>();
  #all: Said | null = null;
  #questions: number[] = [];

  constructor(freshMs: number, ask: (deviceId?: number) => Promise<Held>) {
    this.#freshMs = freshMs;
    this.#ask = ask;
  }

  /** The device was given by an answer to this question. */
  came(deviceId: number, epoch: number, asked: number): void {
    this.#came.set(deviceId, { epoch, asked });
  }

  forget(deviceId: number): void {
    this.#came.delete(deviceId);
  }

  clear(): void {
    this.#came.clear();
    this.#all = null;
  }

  /** Whether the device is held under this epoch, by an answer that is not old. */
  async holds(deviceId: number, epoch: number): Promise<boolean> {
    const came = this.#came.get(deviceId);
    if (came !== undefined && came.epoch === epoch && this.#isFresh(came.asked)) return true;
    this.#came.delete(deviceId);
    if (this.#isBusy()) {
      const { asked, held } = this.#askForAll();
      if ((await held).get(deviceId) === epoch && this.#isFresh(asked)) return true;
    }
    for (;;) {
      const asked = performance.now();
      const held = (await this.#ask(deviceId)).get(deviceId) === epoch;
      // What it was some seconds ago says nothing.
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

  /** One question for all who ask meanwhile. */
  #askForAll(): Said {
    if (this.#all !== null && this.#isFresh(this.#all.asked)) return this.#all;
    const said = { asked: performance.now(), held: this.#ask() };
    this.#all = said;
    said.held.catch(() => {
      if (this.#all === said) this.#all = null;
    });
    return said;
  }
}
