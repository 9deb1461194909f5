/** One task after the other. */

export class Serial {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs the task once those before it are done, however they ended. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(task);
    this.#tail = done.catch(() => undefined);
    return done;
  }
}
