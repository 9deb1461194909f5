/** Who wants to know of new events. */
import type { CommittedEvent } from '../domain/event.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';

type Listener = (events: readonly CommittedEvent[]) => void;

export interface Listeners {
  readonly add: (listener: Listener) => () => void;
  readonly tell: Listener;
}

/** The events are committed by then: a listener that throws must not make their writer fail. */
export const makeListeners = (log: Logger | undefined): Listeners => {
  const listeners = new Set<Listener>();
  return {
    add: (listener) => {
      const own: Listener = (events) => listener(events);
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    tell: (events) => {
      if (events.length === 0) return;
      for (const listener of listeners) {
        try {
          listener(events);
        } catch (error) {
          log?.error({ error: messageOf(error) }, 'a listener of new events failed');
        }
      }
    },
  };
};
