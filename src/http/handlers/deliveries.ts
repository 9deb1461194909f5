/** Deliveries of a webhook (docs/spec/webhooks.md, Deliveries): of the primary one below `/devices/{id}/deliveries`, too. */
import { Type } from 'typebox';
import { answerPages } from '../streams/answers.ts';
import { answer, members, ok, oneOf, parseTimestamp, timestampMember } from '../wire/build.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { AttemptSchema, attemptView, DeliverySchema, deliveryView } from '../schemas/delivery.ts';
import { notFound } from '../../errors.ts';
import { type Webhook, webhookName } from '../../domain/webhooks/webhook.ts';
import { webhookIn, webhookOperations } from './webhook-scope.ts';

const stateParameter = Type.Optional(
  oneOf(['pending', 'delivered', 'failed'], { errorMessage: 'must be pending, delivered or failed' }),
);

/** Newest first. */
const listDeliveries = webhookOperations({
  ids: { device: 'listWebhookDeliveries', account: 'listAccountWebhookDeliveries', primary: 'listDeliveries' },
  method: 'GET',
  path: '/{webhookId}/deliveries',
  summary: 'List the deliveries of a webhook',
  primarySummary: 'List deliveries to the webhook',
  query: members({ ...pageParameters, state: stateParameter }),
  answer: answer({ deliveries: Type.Array(DeliverySchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId, query } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const state = query.state === undefined ? {} : { state: query.state };
    return answerPages(call, { name: 'deliveries', done: 'Deliveries listed' }, async (piece) => {
      const page = await parts.stores.outbox.list(deviceId, { ...piece, ...state }, webhook.id);
      return { ...page, items: page.items.map(deliveryView) };
    });
  },
});

/** Newest first. */
const listAttempts = webhookOperations({
  ids: { device: 'listWebhookAttempts', account: 'listAccountWebhookAttempts', primary: 'listAttempts' },
  method: 'GET',
  path: '/{webhookId}/deliveries/{deliveryId}/attempts',
  summary: 'List the attempts of a delivery of a webhook',
  primarySummary: 'List the attempts of a delivery',
  query: members(pageParameters),
  answer: answer({ attempts: Type.Array(AttemptSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    return answerPages(call, { name: 'attempts', done: 'Attempts listed' }, async (piece) => {
      const page = await parts.stores.outbox.attempts(deviceId, params.deliveryId, piece, webhook.id);
      if (page === null) throw notFound('Delivery');
      return { ...page, items: page.items.map(attemptView) };
    });
  },
});

/** A stopped webhook: its due deliveries wait, and how to restart it. */
const pausedMember = {
  paused: Type.Boolean({
    description: 'The webhook is stopped, and what is due waits until it is started; `status.message` says how',
  }),
};

/** The reason, and the request that ends it; null while the webhook is active. */
const pauseOf = (webhook: Webhook): string | null => {
  const { enabled, disabledAt, deviceId, isPrimary } = webhook;
  if (enabled && disabledAt === null) return null;
  const whenOff = isPrimary ? 'the device has no webhookUrl' : 'the webhook is turned off';
  const why = enabled ? 'an answer of 410 has stopped the webhook' : whenOff;
  if (isPrimary) return `${why}; set webhookUrl by PUT /devices/${deviceId} to start it`;
  const path = `${deviceId === null ? '' : `/devices/${deviceId}`}/webhooks/${webhookName(webhook)}`;
  return `${why}; set enabled to true by PUT ${path} to start it`;
};

const retryDelivery = webhookOperations({
  ids: { device: 'retryWebhookDelivery', account: 'retryAccountWebhookDelivery', primary: 'retryDelivery' },
  method: 'POST',
  path: '/{webhookId}/deliveries/{deliveryId}/retry',
  summary: 'Retry a delivery of a webhook',
  primarySummary: 'Retry a delivery',
  description:
    'Makes the delivery due now, whatever its state. A delivered event is posted again under the same event id.',
  answer: answer({ delivery: DeliverySchema, ...pausedMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const delivery = await parts.stores.outbox.retry(deviceId, params.deliveryId, parts.clock.now(), webhook.id);
    if (delivery === null) throw notFound('Delivery');
    parts.wakeDispatcher();
    const pause = pauseOf(webhook);
    const status = ok(pause === null ? 'Delivery is due now' : `Delivery waits: ${pause}`);
    return { delivery: deliveryView(delivery), paused: pause !== null, status };
  },
});

const dueNow = (count: number): string => (count === 1 ? '1 delivery is due now' : `${count} deliveries are due now`);
const waiting = (count: number): string => (count === 1 ? '1 delivery waits' : `${count} deliveries wait`);

/** Retries all that failed since a time. */
const retryDeliveries = webhookOperations({
  ids: { device: 'retryWebhookDeliveries', account: 'retryAccountWebhookDeliveries', primary: 'retryFailedDeliveries' },
  method: 'POST',
  path: '/{webhookId}/deliveries/retry',
  summary: 'Retry all failed deliveries of a webhook',
  primarySummary: 'Retry all failed deliveries',
  body: {
    schema: members(
      { since: Type.Optional(timestampMember('Only deliveries that were last tried since then; all by default')) },
      { title: 'RetryDeliveries' },
    ),
    optional: true,
    examples: { all: {}, since: { since: '2026-07-28T09:30:00Z' } },
  },
  answer: answer({
    retried: Type.Integer({ description: 'Number of deliveries that are due now' }),
    ...pausedMember,
  }),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run(call) {
    const { parts, params, deviceId, body } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const since = body.since === undefined ? null : parseTimestamp('since', body.since);
    const retried = await parts.stores.outbox.retryFailed(deviceId, since, parts.clock.now(), webhook.id);
    if (retried > 0) parts.wakeDispatcher();
    const pause = pauseOf(webhook);
    const status = ok(pause === null ? dueNow(retried) : `${waiting(retried)}: ${pause}`);
    return { retried, paused: pause !== null, status };
  },
});

export const deliveryOperations = [listDeliveries, listAttempts, retryDelivery, retryDeliveries];
