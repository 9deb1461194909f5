/** Failures in the engine that nobody awaits: they end neither the process nor the other devices in it. */
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';

let told: Logger | null = null;

/**
 * A stanza that the engine did not expect (a call without an id, say) makes it reject a promise that nobody awaits, for which Node ends the process. The
 * stanza comes again after a start. For the whole thread, however often it is called.
 */
export const logUnhandledRejections = (log: Logger): void => {
  const isFirst = told === null;
  told = log;
  if (!isFirst) return;
  process.on('unhandledRejection', (error) =>
    told?.error({ error: messageOf(error) }, 'something has failed that nobody waits for'),
  );
};
