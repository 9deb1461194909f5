/** `POST /devices/{id}/webhook/test` (docs/spec/webhooks.md, Webhook): one signed event of type `test`, without retries. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import type { QueueKey } from '../domain/delivery.ts';
import type { EventEnvelope } from '../domain/event.ts';
import type { Outbound } from '../domain/outbound.ts';
import type { WebhookStore } from '../domain/stores.ts';
import { invalidRequest } from '../errors.ts';
import { complaintOf, postSigned } from './attempt.ts';

export interface TestOutcome {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly error: string | null;
}

interface TestParts {
  readonly webhooks: Pick<WebhookStore, 'get'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly clock: Clock;
}

export const postTest = async (
  { webhooks, outbound, clock }: TestParts,
  { deviceId, webhookId }: QueueKey,
  timeoutMs: number,
): Promise<TestOutcome> => {
  const webhook = await webhooks.get(deviceId, webhookId);
  if (webhook.url === null)
    throw invalidRequest(
      webhookId === 0
        ? 'Device has no webhookUrl; set it before testing the webhook'
        : 'The webhook is not enabled; enable it before testing it',
    );
  const envelope: EventEnvelope = {
    id: `evt_test_${randomBytes(12).toString('hex')}`,
    type: 'test',
    timestamp: new Date(clock.now()).toISOString(),
    deviceId,
    data: {},
  };
  const target = { ...webhook, url: webhook.url };
  const posted = await postSigned({ outbound, clock }, timeoutMs, target, envelope.id, JSON.stringify(envelope));
  return { status: posted.answer?.status ?? null, durationMs: posted.durationMs, error: complaintOf(posted) };
};
