/** Deliveries of a webhook (docs/spec/webhooks.md, Deliveries). */
import * as declared from '../../contract/operations/deliveries.ts';
import { webhookIn, handleWebhooks } from './webhook-scope.ts';
import { answerPages } from '../streams/answers.ts';
import type { Attempt, Delivery } from '../../domain/delivery.ts';
import { iso, isoOrNull } from '../../domain/event-view.ts';
import { notFound } from '../../errors.ts';
import { type Webhook, webhookName } from '../../domain/webhooks/webhook.ts';
import { ok, parseTimestamp } from '../wire/values.ts';

const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  deviceId: delivery.deviceId,
  eventId: delivery.eventId,
  eventType: delivery.eventType,
  state: delivery.state,
  attempts: delivery.attempts,
  createdAt: iso(delivery.createdAt),
  nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
  lastAttemptAt: isoOrNull(delivery.lastAttemptAt),
  deliveredAt: isoOrNull(delivery.deliveredAt),
  lastStatus: delivery.lastStatus,
  lastError: delivery.lastError,
  lastDurationMs: delivery.lastDurationMs,
  lastResponse: delivery.lastResponse,
  late: delivery.late,
});

const attemptView = ({ at, status, durationMs, error, response, headers }: Attempt) => ({
  at: iso(at),
  status,
  ms: durationMs,
  error,
  answer: response,
  headers,
});

export const listDeliveries = handleWebhooks(declared.listDeliveries, async (call) => {
  const { services, params, deviceId, query } = call;
  const webhook = await webhookIn(call, params.webhookId);
  const state = query.state === undefined ? {} : { state: query.state };
  return answerPages(call, { name: 'deliveries', done: 'Deliveries listed' }, async (piece) => {
    const page = await services.stores.outbox.list(deviceId, { ...piece, ...state }, webhook.id);
    return { ...page, items: page.items.map(deliveryView) };
  });
});

export const listAttempts = handleWebhooks(declared.listAttempts, async (call) => {
  const { services, params, deviceId } = call;
  const webhook = await webhookIn(call, params.webhookId);
  return answerPages(call, { name: 'attempts', done: 'Attempts listed' }, async (piece) => {
    const page = await services.stores.outbox.attempts(deviceId, params.deliveryId, piece, webhook.id);
    if (page === null) throw notFound('Delivery');
    return { ...page, items: page.items.map(attemptView) };
  });
});

const pauseOf = (webhook: Webhook): string | null => {
  const { enabled, disabledAt, deviceId, isPrimary } = webhook;
  if (enabled && disabledAt === null) return null;
  const whenOff = isPrimary ? 'the device has no webhookUrl' : 'the webhook is turned off';
  const why = enabled ? 'an answer of 410 has stopped the webhook' : whenOff;
  if (isPrimary) return `${why}; set webhookUrl by PUT /devices/${deviceId} to start it`;
  const path = `${deviceId === null ? '' : `/devices/${deviceId}`}/webhooks/${webhookName(webhook)}`;
  return `${why}; set enabled to true by PUT ${path} to start it`;
};

export const retryDelivery = handleWebhooks(declared.retryDelivery, async (call) => {
  const { services, params, deviceId } = call;
  const webhook = await webhookIn(call, params.webhookId);
  const delivery = await services.stores.outbox.retry(deviceId, params.deliveryId, services.clock.now(), webhook.id);
  if (delivery === null) throw notFound('Delivery');
  services.wakeDispatcher();
  const pause = pauseOf(webhook);
  const status = ok(pause === null ? 'Delivery is due now' : `Delivery waits: ${pause}`);
  return { delivery: deliveryView(delivery), paused: pause !== null, status };
});

const dueNow = (count: number): string => (count === 1 ? '1 delivery is due now' : `${count} deliveries are due now`);

const waiting = (count: number): string => (count === 1 ? '1 delivery waits' : `${count} deliveries wait`);

export const retryDeliveries = handleWebhooks(declared.retryDeliveries, async (call) => {
  const { services, params, deviceId, body } = call;
  const webhook = await webhookIn(call, params.webhookId);
  const since = body.since === undefined ? null : parseTimestamp('since', body.since);
  const retried = await services.stores.outbox.retryFailed(deviceId, since, services.clock.now(), webhook.id);
  if (retried > 0) services.wakeDispatcher();
  const pause = pauseOf(webhook);
  const status = ok(pause === null ? dueNow(retried) : `${waiting(retried)}: ${pause}`);
  return { retried, paused: pause !== null, status };
});
