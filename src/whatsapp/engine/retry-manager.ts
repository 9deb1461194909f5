/** Baileys' manager of retries, in less memory, with our limit and without its requests to the phone. */
import type { MessageRetryManager, WASocket } from 'baileys';
import { boundedCache } from './bounded-cache.ts';

const hourMs = 3_600_000;

/**
 * The manager sends retry requests without delaying the stanzas behind; the messages themselves are in the store. Its own caches take 76 kB
 * when empty, a sixth of an idle device's memory.
 *
 * Three seconds after a retry request it asks the phone for the message, wrapped as a copy of a message: phones do not answer that
 * (`peer-message.ts`). `receive/placeholders.ts` asks for it in the right form.
 */
export const lighten = (manager: MessageRetryManager): void => {
  manager.addRecentMessage = () => {};
  manager.schedulePhoneRequest = () => {};
  Object.assign(manager, {
    recentMessagesMap: boundedCache(1, hourMs),
    sessionRecreateHistory: boundedCache(500, 2 * hourMs),
    retryCounters: boundedCache(500, hourMs / 4),
    baseKeys: boundedCache(1_024, hourMs / 4),
  });
};

/** `isSpent`: messages whose sender is not asked again. */
export const limitRetries = (
  { messageRetryManager: manager }: WASocket,
  isSpent: (messageId: string) => boolean,
): void => {
  if (manager === null) return;
  const hasExceeded = manager.hasExceededMaxRetries.bind(manager);
  manager.hasExceededMaxRetries = (id) => isSpent(id) || hasExceeded(id);
};
