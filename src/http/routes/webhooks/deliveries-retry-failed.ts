/** `POST /devices/{id}/deliveries/retry` (docs/spec/webhooks.md, Deliveries): all failed ones since a time. */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { parseTimestamp, timestampMember } from '../../wire/timestamp.ts';
import { pausedMember, pauseOf, severalDue } from './paused.ts';

export const retryBody = {
  schema: members(
    { since: Type.Optional(timestampMember('Only deliveries that were last tried since then; all by default')) },
    { title: 'RetryDeliveries' },
  ),
  optional: true,
  examples: { all: {}, since: { since: '2026-07-28T09:30:00Z' } },
};

export const sinceIn = ({ since }: { readonly since?: string }): number | null =>
  since === undefined ? null : parseTimestamp('since', since);

export const retriedMember = {
  retried: Type.Integer({ description: 'Number of deliveries that are due now' }),
  ...pausedMember,
};

export const retryFailedDeliveries = operation({
  id: 'retryFailedDeliveries',
  method: 'POST',
  path: '/devices/{id}/deliveries/retry',
  tag: 'Webhooks',
  summary: 'Retry all failed deliveries',
  body: retryBody,
  answer: answer(retriedMember),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, deviceId, body }) {
    const retried = await parts.stores.outbox.retryFailed(deviceId, sinceIn(body), parts.clock.now());
    if (retried > 0) parts.wakeDispatcher();
    return severalDue(retried, pauseOf(deviceId, await parts.stores.webhooks.get(deviceId)));
  },
});
