/** Makes the chats of messages that were stored without them, in the background, a piece at a time. */
import type { Clock, Timer } from '../domain/clock.ts';
import type { ChatStore } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';

const startMs = 2_000;
/** Between two pieces the database is free for others. */
const busyMs = 20;
/** A version before may run beside this one. */
const idleMs = 600_000;

interface Parts {
  readonly chats: Pick<ChatStore, 'catchUp'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export const makeCatchUp = ({ chats, clock, log }: Parts) => {
  let timer: Timer | null = null;
  let stopped = false;
  let running: Promise<void> = Promise.resolve();

  const step = async (): Promise<void> => {
    let more = false;
    try {
      more = await chats.catchUp();
    } catch (error) {
      log.error({ reason: messageOf(error) }, 'could not make the chats of earlier messages');
    }
    plan(more ? busyMs : idleMs);
  };
  const plan = (ms: number): void => {
    if (stopped) return;
    timer = clock.after(ms, () => {
      running = step();
    });
  };
  return {
    start: () => plan(startMs),
    /** Resolves when no step runs any more. */
    async stop(): Promise<void> {
      stopped = true;
      timer?.cancel();
      await running;
    },
  };
};
