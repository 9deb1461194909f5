/** One attempt to post one event: sign, post, and judge the answer. */
import type { AttemptResult, DueDelivery, Webhook } from '../domain/delivery.ts';
import type { Outbound, PostAnswer } from '../domain/outbound.ts';
import { messageOf } from '../errors.ts';
import { delayAfter, parseRetryAfter } from './schedule.ts';
import { signed } from './sign.ts';

export interface PostParts {
  readonly outbound: Pick<Outbound, 'post'>;
  readonly now: () => number;
  readonly timeoutMs: number;
}

/** The outcome of a post: an answer, or in words why there was none. */
export type Posted = { readonly startedAt: number; readonly durationMs: number } & (
  | { readonly answer: PostAnswer; readonly error: null }
  | { readonly answer: null; readonly error: string }
);

/** Never throws. `id` is the event's, the same on every attempt (docs/spec/webhooks.md, Signature). */
export const postSigned = async (
  { outbound, now, timeoutMs }: PostParts,
  webhook: Webhook & { readonly url: string },
  id: string,
  body: string,
): Promise<Posted> => {
  const startedAt = now();
  try {
    const answer = await outbound.post(webhook.url, { ...signed(webhook, id, body, startedAt), timeoutMs });
    return { startedAt, durationMs: now() - startedAt, answer, error: null };
  } catch (error) {
    return { startedAt, durationMs: now() - startedAt, answer: null, error: messageOf(error) };
  }
};

const succeeded = ({ answer }: Posted): boolean => answer !== null && answer.status >= 200 && answer.status <= 299;

/** 410 stops the webhook. */
export const isGone = ({ answer }: Posted): boolean => answer?.status === 410;

/** Why it is no success, in words; null when it is one. */
export const complaintOf = (posted: Posted): string | null => {
  if (posted.answer === null) return posted.error;
  if (succeeded(posted)) return null;
  const { status } = posted.answer;
  if (status === 410) return 'the endpoint answered 410 Gone; its webhook is stopped until the URL is set again';
  if (status >= 300 && status <= 399) return `the endpoint answered ${status}; redirects are not followed`;
  return `the endpoint answered ${status}`;
};

/** The outcome as the outbox records it. `now`: when the attempt ended; `random` in [0, 1) spreads the retries. */
export const resultOf = (due: DueDelivery, posted: Posted, now: number, random: number): AttemptResult => {
  const attempts = due.attempts + (due.broughtForward === true ? 0 : 1);
  const common = {
    id: due.id,
    deviceId: due.deviceId,
    attempts,
    at: now,
    status: posted.answer?.status ?? null,
    error: complaintOf(posted),
    durationMs: Math.round(posted.durationMs),
    response: posted.answer?.excerpt ?? null,
  };
  if (succeeded(posted)) return { ...common, state: 'delivered', nextAttemptAt: null };
  const delay = isGone(posted)
    ? null
    : delayAfter(attempts, parseRetryAfter(posted.answer?.headers['retry-after'], now), random);
  return delay === null
    ? { ...common, state: 'failed', nextAttemptAt: null }
    : { ...common, state: 'pending', nextAttemptAt: now + delay };
};
