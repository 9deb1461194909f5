/** Listeners for new events. */
import type { CommittedEvent } from '../../domain/event.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

type Listener = (events: readonly CommittedEvent[]) => void;

export interface Listeners {
  readonly add: (listener: Listener) => () => void;
  readonly tell: Listener;
  readonly missed: () => void;
}

/** The events are committed: a listener that throws must not fail their writer. */
export const makeListeners = (log: Logger | undefined): Listeners => {
  const listeners = new Set<{ readonly listener: Listener }>();
  const tell = (events: readonly CommittedEvent[], missed = false): void => {
    if (events.length === 0 && !missed) return;
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
