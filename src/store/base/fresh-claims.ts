/** What commits of this process claim while they write it (docs/decisions/0044-posted-by-their-writer.md). */
import { randomInt } from 'node:crypto';
import type { FreshDelivery, FreshTaker } from '../../domain/delivery.ts';
import type { CommittedEvent } from '../../domain/event.ts';

export interface WrittenEvent extends CommittedEvent {
  readonly fresh?: readonly FreshDelivery[];
}

export class FreshClaims {
  #by = randomInt(2 ** 47);
  taker: FreshTaker | null = null;

  get by(): number {
    return this.#by;
  }

  /** After a commit of unknown outcome: what it claimed was not handed over, so nothing may be claimed behind it. */
  readonly renew = (): void => {
    this.#by = randomInt(2 ** 47);
  };

  /** What has been claimed is handed over before the events are told. */
  before(tell: (events: readonly WrittenEvent[]) => void): (events: readonly WrittenEvent[]) => void {
    return (events) => {
      for (const { fresh = [] } of events) for (const due of fresh) this.taker?.take(due);
      tell(events);
    };
  }
}
