/** The retry schedule (docs/spec/webhooks.md, Retries). */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** After the last one the delivery has failed. */
export const retryDelays: readonly number[] = [
  0.2 * second,
  1 * second,
  3 * second,
  10 * second,
  30 * second,
  1 * minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

const jitter = 0.1;
/** Wider, so that chats that failed together do not retry together. */
const firstJitter = 0.5;
const maxWait = 24 * hour;
/** From this delay on `Retry-After` cannot shorten the wait: an outage could use up all attempts. */
const patient = 5 * minute;

/** `Retry-After` in ms from now: seconds or a date (RFC 9110, 10.2.3); null if absent or malformed. */
export const parseRetryAfter = (value: string | undefined, now: number): number | null => {
  if (value === undefined) return null;
  const text = value.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * second : Date.parse(text) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), maxWait) : null;
};

/** Delay after failed attempt `attempts` (from 1); null if it was the last. `random` in [0, 1). `Retry-After` is never undercut. */
export const delayAfter = (attempts: number, retryAfter: number | null, random: number): number | null => {
  const planned = retryDelays[attempts - 1];
  if (planned === undefined) return null;
  const spread = attempts === 1 ? firstJitter : jitter;
  const jittered = Math.round(planned * (1 - spread + 2 * spread * random));
  if (retryAfter === null) return jittered;
  const asked = Math.max(second, Math.min(Math.round(retryAfter * (1 + jitter * random)), maxWait));
  return planned < patient ? asked : Math.max(asked, jittered);
};
