/** `POST /devices/{id}/deliveries/retry` (docs/spec/webhooks.md, Deliveries): all failed ones since a time. */
import { Type } from 'typebox';
import { operation } from '../../server/operation.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { parseTimestamp, timestampMember } from '../../server/timestamp.ts';

export const retryFailedDeliveries = operation({
  id: 'retryFailedDeliveries',
  method: 'POST',
  path: '/devices/{id}/deliveries/retry',
  tag: 'Webhooks',
  summary: 'Retry all failed deliveries',
  body: {
    schema: members(
      { since: Type.Optional(timestampMember('Only deliveries of events since then; all by default')) },
      { title: 'RetryDeliveries' },
    ),
    optional: true,
    examples: { all: {}, since: { since: '2026-07-28T09:30:00Z' } },
  },
  answer: answer({ retried: Type.Integer({ description: 'Number of deliveries that are due now' }) }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, deviceId, body }) {
    const since = body.since === undefined ? null : parseTimestamp('since', body.since);
    const retried = await parts.stores.outbox.retryFailed(deviceId, since, parts.clock.now());
    if (retried > 0) parts.wakeDispatcher();
    return { retried, status: ok(`${retried} deliveries are due now`) };
  },
});
