/** Slots shared fairly by user: many hanging devices of one user leave room for others. */

type Release = () => void;

interface Share {
  held: number;
  readonly urgent: (() => void)[];
  readonly waiting: (() => void)[];
}

const isIdle = ({ held, urgent, waiting }: Share): boolean => held + urgent.length + waiting.length === 0;

export class Slots {
  #free: number;
  readonly #reserve: number;
  readonly #shares = new Map<number, Share>();

  constructor(max: number) {
    this.#free = max;
    this.#reserve = Math.floor(max / 8);
  }

  /** Urgent requests first, then the user holding the fewest. */
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

export interface ConnectSlots {
  readonly network: Slots;
  /** Held until the proxy has connected: a hanging proxy takes no slot of the network. */
  readonly proxies: Slots;
}

export const connectSlots = (max: number): ConnectSlots => ({
  network: new Slots(max),
  proxies: new Slots(4 * max),
});
