/** Deliveries of the device's own webhook. */
import { Type } from 'typebox';
import { answerPages } from '../streams/answers.ts';
import { operation } from '../wire/operation.ts';
import { answer, members, ok, oneOf, parseTimestamp, timestampMember } from '../wire/build.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { AttemptSchema, attemptView, DeliverySchema, deliveryView } from '../schemas/webhook.ts';
import { notFound } from '../../errors.ts';
import { type AdditionalWebhook, webhookName } from '../../domain/webhooks/additional.ts';
import type { Webhook } from '../../domain/delivery.ts';

/** `GET /devices/{id}/deliveries` (docs/spec/webhooks.md, Deliveries): newest first. */
export const stateParameter = Type.Optional(
  oneOf(['pending', 'delivered', 'failed'], { errorMessage: 'must be pending, delivered or failed' }),
);

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/devices/{id}/deliveries',
  tag: 'Webhooks',
  summary: 'List deliveries to the webhook',
  query: members({
    ...pageParameters,
    state: stateParameter,
  }),
  answer: answer({ deliveries: Type.Array(DeliverySchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, query } = call;
    const state = query.state === undefined ? {} : { state: query.state };
    return answerPages(call, { name: 'deliveries', done: 'Deliveries listed' }, async (piece) => {
      const page = await parts.stores.outbox.list(deviceId, { ...piece, ...state });
      return { ...page, items: page.items.map(deliveryView) };
    });
  },
});

/** `GET /devices/{id}/deliveries/{deliveryId}/attempts` (docs/spec/webhooks.md, Deliveries): newest first. */
export const listAttempts = operation({
  id: 'listAttempts',
  method: 'GET',
  path: '/devices/{id}/deliveries/{deliveryId}/attempts',
  tag: 'Webhooks',
  summary: 'List the attempts of a delivery',
  query: members(pageParameters),
  answer: answer({ attempts: Type.Array(AttemptSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, params } = call;
    return answerPages(call, { name: 'attempts', done: 'Attempts listed' }, async (piece) => {
      const page = await parts.stores.outbox.attempts(deviceId, params.deliveryId, piece);
      if (page === null) throw notFound('Delivery');
      return { ...page, items: page.items.map(attemptView) };
    });
  },
});

/** A webhook that is stopped: what is due for it waits, and how to start it (docs/spec/webhooks.md, Deliveries). */
export const pausedMember = {
  paused: Type.Boolean({
    description: 'The webhook is stopped, and what is due waits until it is started; `status.message` says how',
  }),
};

const by410 = 'an answer of 410 has stopped the webhook';

/** The reason, and the request that ends it; null while the webhook is posted to. */
export const pauseOf = (deviceId: number | null, webhook: AdditionalWebhook | Webhook): string | null => {
  if ('enabled' in webhook) {
    if (webhook.enabled && webhook.disabledAt === null) return null;
    const why = webhook.enabled ? by410 : 'the webhook is turned off';
    const path = `${deviceId === null ? '' : `/devices/${deviceId}`}/webhooks/${webhookName(webhook.id)}`;
    return `${why}; set enabled to true by PUT ${path} to start it`;
  }
  if (webhook.url !== null && webhook.disabledAt === null) return null;
  const why = webhook.url === null ? 'the device has no webhookUrl' : by410;
  return `${why}; set webhookUrl by PUT /devices/${deviceId} to start it`;
};

export const oneDue = (pause: string | null) => ({
  paused: pause !== null,
  status: ok(pause === null ? 'Delivery is due now' : `Delivery waits: ${pause}`),
});

const dueNow = (count: number): string => (count === 1 ? '1 delivery is due now' : `${count} deliveries are due now`);
const waiting = (count: number): string => (count === 1 ? '1 delivery waits' : `${count} deliveries wait`);

export const severalDue = (count: number, pause: string | null) => ({
  retried: count,
  paused: pause !== null,
  status: ok(pause === null ? dueNow(count) : `${waiting(count)}: ${pause}`),
});

/** `POST /devices/{id}/deliveries/{deliveryId}/retry` (docs/spec/webhooks.md, Deliveries): posts it again, now. */
export const retryDelivery = operation({
  id: 'retryDelivery',
  method: 'POST',
  path: '/devices/{id}/deliveries/{deliveryId}/retry',
  tag: 'Webhooks',
  summary: 'Retry a delivery',
  description:
    'Makes the delivery due now, whatever its state. A delivered event is posted again under the same event id.',
  answer: answer({ delivery: DeliverySchema, ...pausedMember }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, deviceId, params }) {
    const delivery = await parts.stores.outbox.retry(deviceId, params.deliveryId, parts.clock.now());
    if (delivery === null) throw notFound('Delivery');
    parts.wakeDispatcher();
    const webhook = await parts.stores.webhooks.get(deviceId);
    return { delivery: deliveryView(delivery), ...oneDue(pauseOf(deviceId, webhook)) };
  },
});

/** `POST /devices/{id}/deliveries/retry` (docs/spec/webhooks.md, Deliveries): all failed ones since a time. */
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
