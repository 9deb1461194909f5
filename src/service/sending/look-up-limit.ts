/** The limit of look-ups of new numbers and usernames per device and day (docs/spec/conversation.md, Look-ups). */
import { maxNewNumbers } from '../../domain/chats/contact.ts';
import type { Stores } from '../../domain/stores.ts';
import { HandsetError } from '../../errors.ts';

const dayMs = 86_400_000;

/** Throws RateLimited, counting nothing. */
export const takeLookUps = async (
  { lookUps }: Pick<Stores, 'lookUps'>,
  deviceId: number,
  count: number,
  now: number,
): Promise<void> => {
  if (await lookUps.take(deviceId, 'numbers', { count, max: maxNewNumbers, now })) return;
  throw new HandsetError(
    'RateLimited',
    `At most ${maxNewNumbers} new numbers and usernames are looked up for a device and day: looking them up in masses gets accounts restricted`,
    { retryAfterSeconds: Math.ceil((dayMs - (now % dayMs)) / 1_000), reason: 'lookup_limit_reached' },
  );
};
