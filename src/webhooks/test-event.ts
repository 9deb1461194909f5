/** `POST /devices/{id}/webhook/test` (docs/spec/webhooks.md, Webhook): one signed event of type `test`, without retries. */
import { randomBytes } from 'node:crypto';
import type { EventEnvelope } from '../domain/event.ts';
import type { Target } from '../domain/webhooks/webhook.ts';
import { type PostParts, complaintOf, postSigned } from './attempt.ts';

export interface TestOutcome {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

/** From an account-wide webhook the event's `deviceId` is 0. */
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
