/** One attempt to post one event: sign, post, and judge the answer. */
import { type KeyObject, createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/clock.ts';
import type { AttemptResult, DueDelivery, ResponseHeaders } from '../domain/delivery.ts';
import type { Target, Webhook } from '../domain/webhooks/webhook.ts';
import type { EventEnvelope } from '../domain/event.ts';
import type { Outbound, PostAnswer } from '../domain/outbound.ts';
import { messageOf } from '../errors.ts';

/** Making a key object takes four times as long as a signature. */
const keys = new LRUCache<string, KeyObject>({
  max: 1_000,
  memoMethod: (secret) => createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
});

const signature = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', keys.memo(secret)).update(content).digest('base64')}`;

export interface Signed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Standard Webhooks headers and body (docs/spec/webhooks.md, Signature). A former secret that is still valid signs, too. */
export const signed = (
  { secret, previousSecret, previousSecretUntil }: Pick<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>,
  id: string,
  body: string,
  now: number,
): Signed => {
  const timestamp = String(Math.floor(now / 1000));
  const content = `${id}.${timestamp}.${body}`;
  const current = signature(secret, content);
  const both = previousSecret !== null && (previousSecretUntil ?? 0) > now;
  return {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': both ? `${current} ${signature(previousSecret, content)}` : current,
    },
    body: Buffer.from(body),
  };
};

interface PostParts {
  readonly outbound: Pick<Outbound, 'post'>;
  readonly clock: Clock;
}

export type Posted = { readonly startedAt: number; readonly durationMs: number } & (
  | { readonly answer: PostAnswer; readonly error: null }
  | { readonly answer: null; readonly error: string }
);

/** Never throws. `id` is the event's, the same on every attempt (docs/spec/webhooks.md, Signature). */
export const postSigned = async (
  { outbound, clock }: PostParts,
  timeoutMs: number,
  webhook: Target,
  id: string,
  body: string,
): Promise<Posted> => {
  const startedAt = clock.now();
  try {
    const { headers, body: bytes } = signed(webhook, id, body, startedAt);
    const all = { ...webhook.headers, ...headers };
    const answer = await outbound.post(webhook.url, { headers: all, body: bytes, timeoutMs });
    return { startedAt, durationMs: clock.now() - startedAt, answer, error: null };
  } catch (error) {
    return { startedAt, durationMs: clock.now() - startedAt, answer: null, error: messageOf(error) };
  }
};

export const gone = 410;

const complaintOf = (posted: Posted): string | null => {
  if (posted.answer === null) return posted.error;
  const { status } = posted.answer;
  if (status >= 200 && status <= 299) return null;
  if (status === gone) return 'the endpoint answered 410 Gone';
  if (status >= 300 && status <= 399) return `the endpoint answered ${status}; redirects are not followed`;
  return `the endpoint answered ${status}`;
};

export interface TestOutcome {
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** Posts a signed event of type `test`, without retries. From an account-wide webhook its `deviceId` is 0. */
export const postTest = async (parts: PostParts, webhook: Target, timeoutMs: number): Promise<TestOutcome> => {
  const envelope: EventEnvelope = {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'test',
    timestamp: new Date(parts.clock.now()).toISOString(),
    deviceId: webhook.deviceId ?? 0,
    data: {},
  };
  const posted = await postSigned(parts, timeoutMs, webhook, envelope.id, JSON.stringify(envelope));
  return { status: posted.answer?.status ?? null, durationMs: posted.durationMs, error: complaintOf(posted) };
};

/** Headers that may hold a secret are not stored. */
const secret = /cookie|authorization|token|secret|session|password|api-?key|csrf|signature/;
const maxHeaderChars = 4096;

const keptHeaders = (headers: ResponseHeaders): ResponseHeaders | null => {
  let room = maxHeaderChars;
  const kept = Object.entries(headers).filter(([name, value]) => {
    if (secret.test(name)) return false;
    room -= name.length + value.length;
    return room >= 0;
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
};

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

/** `now`: when the attempt ended; `random` in [0, 1) spreads the retries. */
export const resultOf = (due: DueDelivery, posted: Posted, now: number, random: number): AttemptResult => {
  const attempts = due.attempts + (due.broughtForward === true ? 0 : 1);
  const error = complaintOf(posted);
  const status = posted.answer?.status ?? null;
  const common = {
    seq: due.seq,
    deviceId: due.deviceId,
    webhookId: due.webhookId,
    isPrimary: due.webhook.isPrimary,
    attempts,
    at: now,
    status,
    error: status === gone ? `${error}; its webhook is stopped until the URL is set again` : error,
    durationMs: Math.round(posted.durationMs),
    response: posted.answer?.excerpt ?? null,
    headers: posted.answer?.headers ? keptHeaders(posted.answer.headers) : null,
  };
  if (error === null) return { ...common, state: 'delivered', nextAttemptAt: null };
  const delay =
    status === gone
      ? null
      : delayAfter(attempts, parseRetryAfter(posted.answer?.headers?.['retry-after'], now), random);
  return delay === null
    ? { ...common, state: 'failed', nextAttemptAt: null }
    : { ...common, state: 'pending', nextAttemptAt: now + delay };
};
