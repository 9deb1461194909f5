/** Slots for what devices do at a time, shared by user: many devices of one that hang leave room for the next. */

/** Safe to call more than once. */
type Release = () => void;

interface Share {
  held: number;
  readonly urgent: (() => void)[];
  readonly waiting: (() => void)[];
}

const isIdle = ({ held, urgent, waiting }: Share): boolean => held + urgent.length + waiting.length === 0;

export class Slots {
  #free: number;
  /** Given out one by one only, to users who have none. */
  readonly #reserve: number;
  readonly #shares = new Map<number, Share>();

  constructor(most: number) {
    this.#free = most;
    this.#reserve = Math.floor(most / 8);
  }

  /** Resolves when the user has a slot. `urgent` ones go first; among the others, those of the user who has the fewest. */
  acquire(userId: number, urgent: boolean): Promise<Release> {
    const share = this.#shares.get(userId) ?? { held: 0, urgent: [], waiting: [] };
    this.#shares.set(userId, share);
    const acquired = new Promise<Release>((resolve) => {
      (urgent ? share.urgent : share.waiting).push(() => {
        let isHeld = true;
        resolve(() => {
          if (isHeld) this.#release(userId, share);
          isHeld = false;
        });
      });
    });
    this.#give();
    return acquired;
  }

  #release(userId: number, share: Share): void {
    share.held -= 1;
    this.#free += 1;
    if (isIdle(share)) this.#shares.delete(userId);
    this.#give();
  }

  #give(): void {
    for (;;) {
      const next = this.#next();
      if (next === null) return;
      this.#free -= 1;
      next.held += 1;
      (next.urgent.shift() ?? next.waiting.shift())?.();
    }
  }

  /** Whose turn it is; null: nobody's who may have a slot now. */
  #next(): Share | null {
    let best: Share | null = null;
    for (const share of this.#shares.values()) {
      if (share.urgent.length + share.waiting.length === 0) continue;
      if (this.#free <= (share.held === 0 ? 0 : this.#reserve)) continue;
      const isUrgent = share.urgent.length > 0;
      const leads =
        best === null || isUrgent !== best.urgent.length > 0 ? best === null || isUrgent : share.held < best.held;
      if (leads) best = share;
    }
    return best;
  }
}

/** Bounds of how many devices connect at a time. */
export interface ConnectSlots {
  readonly network: Slots;
  /** Held while a proxy is asked for the way to the network: one that hangs keeps no slot of the network. */
  readonly proxies: Slots;
}

export const connectSlots = (most: number): ConnectSlots => ({
  network: new Slots(most),
  proxies: new Slots(4 * most),
});
