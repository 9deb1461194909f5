/** Deliveries of one of the webhooks (docs/spec/webhooks.md, Deliveries), as those of a device's own are listed and retried. */
import { Type } from 'typebox';
import { notFound } from '../../errors.ts';
import { answerPages } from '../streams/answers.ts';
import { answer, members } from '../wire/build.ts';
import { nextCursor, pageParameters } from '../schemas/page.ts';
import { AttemptSchema, attemptView, DeliverySchema, deliveryView } from '../schemas/webhook.ts';
import {
  oneDue,
  pausedMember,
  pauseOf,
  retriedMember,
  retryBody,
  severalDue,
  sinceIn,
  stateParameter,
} from './deliveries.ts';
import { webhookIn, webhookOperations } from './webhook-scope.ts';

export const listWebhookDeliveries = webhookOperations({
  ids: ['listWebhookDeliveries', 'listAccountWebhookDeliveries'],
  method: 'GET',
  path: '/{webhookId}/deliveries',
  summary: 'List the deliveries of a webhook',
  query: members({ ...pageParameters, state: stateParameter }),
  answer: answer({ deliveries: Type.Array(DeliverySchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId, query } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const state = query.state === undefined ? {} : { state: query.state };
    return answerPages(call, { name: 'deliveries', done: 'Deliveries listed' }, async (piece) => {
      const page = await parts.stores.outbox.list(deviceId, { ...piece, ...state }, webhook?.id);
      return { ...page, items: page.items.map(deliveryView) };
    });
  },
});

export const listWebhookAttempts = webhookOperations({
  ids: ['listWebhookAttempts', 'listAccountWebhookAttempts'],
  method: 'GET',
  path: '/{webhookId}/deliveries/{deliveryId}/attempts',
  summary: 'List the attempts of a delivery of a webhook',
  query: members(pageParameters),
  answer: answer({ attempts: Type.Array(AttemptSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    return answerPages(call, { name: 'attempts', done: 'Attempts listed' }, async (piece) => {
      const page = await parts.stores.outbox.attempts(deviceId, params.deliveryId, piece, webhook?.id);
      if (page === null) throw notFound('Delivery');
      return { ...page, items: page.items.map(attemptView) };
    });
  },
});

export const retryWebhookDelivery = webhookOperations({
  ids: ['retryWebhookDelivery', 'retryAccountWebhookDelivery'],
  method: 'POST',
  path: '/{webhookId}/deliveries/{deliveryId}/retry',
  summary: 'Retry a delivery of a webhook',
  description:
    'Makes the delivery due now, whatever its state. A delivered event is posted again under the same event id.',
  answer: answer({ delivery: DeliverySchema, ...pausedMember }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, params, deviceId } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const delivery = await parts.stores.outbox.retry(deviceId, params.deliveryId, parts.clock.now(), webhook?.id);
    if (delivery === null) throw notFound('Delivery');
    parts.wakeDispatcher();
    const stopped = webhook ?? (await parts.stores.webhooks.get(deviceId!));
    return { delivery: deliveryView(delivery), ...oneDue(pauseOf(deviceId, stopped)) };
  },
});

export const retryWebhookDeliveries = webhookOperations({
  ids: ['retryWebhookDeliveries', 'retryAccountWebhookDeliveries'],
  method: 'POST',
  path: '/{webhookId}/deliveries/retry',
  summary: 'Retry all failed deliveries of a webhook',
  body: retryBody,
  answer: answer(retriedMember),
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run(call) {
    const { parts, params, deviceId, body } = call;
    const webhook = await webhookIn(call, params.webhookId);
    const retried = await parts.stores.outbox.retryFailed(deviceId, sinceIn(body), parts.clock.now(), webhook?.id);
    if (retried > 0) parts.wakeDispatcher();
    const stopped = webhook ?? (await parts.stores.webhooks.get(deviceId!));
    return severalDue(retried, pauseOf(deviceId, stopped));
  },
});
