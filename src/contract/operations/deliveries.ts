/** Deliveries of a webhook (docs/spec/webhooks.md, Deliveries). */
import { Type } from 'typebox';
import { oneOf, members, answer, timestampMember } from '../build.ts';
import { pageParameters, nextCursor } from '../schemas/page.ts';
import { DeliverySchema, AttemptSchema } from '../schemas/webhook.ts';
import { changes, declareOfWebhooks, reads } from '../operation.ts';

const stateParameter = Type.Optional(
  oneOf(['pending', 'delivered', 'failed'], { errorMessage: 'must be pending, delivered or failed' }),
);

export const listDeliveries = declareOfWebhooks({
  ids: { device: 'listWebhookDeliveries', account: 'listAccountWebhookDeliveries', primary: 'listDeliveries' },
  path: '/{webhookId}/deliveries',
  command: 'delivery list <device> <webhook>',
  client: 'deliveries',
  primaryClient: 'deliveries.list',
  tool: {
    name: 'list_deliveries',
    description: 'What was posted to a webhook, newest first',
  },
  ...reads('0.3.0'),
  primarySince: '0.1.0',
  summary: 'List the deliveries of a webhook',
  primarySummary: 'List deliveries to the webhook',
  description: 'Newest first.',
  query: members({ ...pageParameters, state: stateParameter }),
  answer: answer({ deliveries: Type.Array(DeliverySchema), nextCursor }),
});

export const listAttempts = declareOfWebhooks({
  ids: { device: 'listWebhookAttempts', account: 'listAccountWebhookAttempts', primary: 'listAttempts' },
  path: '/{webhookId}/deliveries/{deliveryId}/attempts',
  command: 'delivery show <device> <webhook> <delivery>',
  client: 'attempts',
  primaryClient: 'deliveries.attempts',
  ...reads('0.3.0'),
  primarySince: '0.2.0',
  summary: 'List the attempts of a delivery of a webhook',
  primarySummary: 'List the attempts of a delivery',
  description: 'Newest first, with the endpoint’s answers.',
  query: members(pageParameters),
  answer: answer({ attempts: Type.Array(AttemptSchema), nextCursor }),
});

/** Present while the webhook is stopped: the reason, and how to restart it. */
const pausedMember = {
  paused: Type.Boolean({
    description: 'The webhook is stopped, and what is due waits until it is started; `status.message` says how',
  }),
};

export const retryDelivery = declareOfWebhooks({
  ids: { device: 'retryWebhookDelivery', account: 'retryAccountWebhookDelivery', primary: 'retryDelivery' },
  method: 'POST',
  path: '/{webhookId}/deliveries/{deliveryId}/retry',
  command: 'delivery replay <device> <webhook> <delivery>',
  client: 'retry',
  primaryClient: 'deliveries.retry',
  tool: {
    name: 'retry_delivery',
    description: 'Posts one delivery of a webhook again',
  },
  ...changes('0.3.0', 'manage'),
  primarySince: '0.1.0',
  summary: 'Retry a delivery of a webhook',
  primarySummary: 'Retry a delivery',
  description:
    'Makes the delivery due now, whatever its state. A delivered event is posted again under the same event id.',
  answer: answer({ delivery: DeliverySchema, ...pausedMember }),
});

export const retryDeliveries = declareOfWebhooks({
  ids: { device: 'retryWebhookDeliveries', account: 'retryAccountWebhookDeliveries', primary: 'retryFailedDeliveries' },
  method: 'POST',
  path: '/{webhookId}/deliveries/retry',
  command: 'delivery replay <device> <webhook>',
  client: 'retryFailed',
  primaryClient: 'deliveries.retryFailed',
  tool: {
    name: 'retry_deliveries',
    description: 'Posts all deliveries of a webhook that failed again',
    takes: [],
  },
  ...changes('0.3.0', 'manage'),
  primarySince: '0.1.0',
  summary: 'Retry all failed deliveries of a webhook',
  primarySummary: 'Retry all failed deliveries',
  description:
    'Makes all failed deliveries due now, in order within each chat; with `since` only those that were last tried since then.',
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
});
