/** One write of a device's log after the other: on a networked database they would only wait for each other's locks, and be told out of order. */

export class Turns {
  readonly #last = new Map<number, Promise<unknown>>();

  run<T>(deviceId: number, write: () => Promise<T>): Promise<T> {
    const before = this.#last.get(deviceId) ?? Promise.resolve();
    const done = before.then(write, write);
    this.#last.set(deviceId, done);
    const leave = (): void => {
      if (this.#last.get(deviceId) === done) this.#last.delete(deviceId);
    };
    done.then(leave, leave);
    return done;
  }
}
