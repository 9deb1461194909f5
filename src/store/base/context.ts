/** What all stores of one database share. */
import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { FreshDelivery, FreshTaker } from '../../domain/delivery.ts';
import type { CommittedEvent } from '../../domain/event.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { SuppressingUsers } from '../chats/suppressing-users.ts';
import type { Schema } from './schema.ts';
import type { Sealer } from '../sealing/sealer.ts';
import type { Database } from './unit.ts';

/** Events with the deliveries that this process claimed in their commit (docs/decisions/0044-posted-by-their-writer.md). */
export interface WrittenEvent extends CommittedEvent {
  readonly fresh?: readonly FreshDelivery[];
}

export class FreshClaims {
  by = randomInt(2 ** 47);
  taker: FreshTaker | null = null;

  /** After a commit of unknown outcome, its claims were never handed over, so later commits claim under a new id. */
  readonly renew = (): void => {
    this.by = randomInt(2 ** 47);
  };
}

export interface Context {
  /** Compiles queries in the database's dialect; after the migrations nothing runs through it. */
  readonly sql: Kysely<Schema>;
  readonly database: Database;
  readonly sealer: Sealer;
  readonly now: () => number;
  readonly suppressing: SuppressingUsers;
  readonly fresh: FreshClaims;
  /** Called after the commit, in commit order. */
  readonly published: (events: readonly WrittenEvent[]) => void;
}

type Listener = (events: readonly CommittedEvent[]) => void;

export interface Listeners {
  readonly add: (listener: Listener) => () => void;
  /** Hands over what the commit has claimed, before the events are announced. */
  readonly tell: (events: readonly WrittenEvent[]) => void;
  readonly missed: () => void;
}

/** The events are committed: a listener that throws must not fail their writer. */
export const makeListeners = (fresh: FreshClaims, log: Logger | undefined): Listeners => {
  const listeners = new Set<{ readonly listener: Listener }>();
  const tell = (events: readonly WrittenEvent[], missed = false): void => {
    if (events.length === 0 && !missed) return;
    for (const { fresh: claimed = [] } of events) for (const due of claimed) fresh.taker?.take(due);
    for (const { listener } of listeners) {
      try {
        listener(events);
      } catch (error) {
        log?.error({ error: messageOf(error) }, 'a listener for new events failed');
      }
    }
  };
  return {
    add: (listener) => {
      const added = { listener };
      listeners.add(added);
      return () => void listeners.delete(added);
    },
    tell,
    missed: () => tell([], true),
  };
};
