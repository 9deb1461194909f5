/** Listeners for new events. */
import type { CommittedEvent } from '../../domain/event.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

type Listener = (events: readonly CommittedEvent[]) => void;

export interface Listeners {
  readonly add: (listener: Listener) => () => void;
  readonly tell: Listener;
  /** Notifies that events of other nodes may have been missed. */
  readonly missed: () => void;
}

/** The events are committed by then: a listener that throws must not make their writer fail. */
export const makeListeners = (log: Logger | undefined): Listeners => {
  const listeners = new Set<Listener>();
  const tellAll: Listener = (events) => {
    for (const listener of listeners) {
      try {
        listener(events);
      } catch (error) {
        log?.error({ error: messageOf(error) }, 'a listener for new events failed');
      }
    }
  };
  return {
    add: (listener) => {
      const own: Listener = (events) => listener(events);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    tell: (events) => {
      if (events.length > 0) tellAll(events);
    },
    missed: () => tellAll([]),
  };
};
