/** The queue of webhook deliveries as the dispatcher and its users see it. */
import type { Outbox } from '../domain/stores.ts';
import type { Context } from './base/context.ts';
import { attemptReader } from './webhooks/attempts.ts';
import { eventWriter } from './commit/event-writer.ts';
import { turnTeller } from './webhooks/settle.ts';
import { claims } from './webhooks/claim.ts';
import { deliveryReader } from './webhooks/deliveries.ts';
import { recorder } from './webhooks/record.ts';
import { recovery } from './webhooks/recovery.ts';
import { deliveryRetry } from './webhooks/retry.ts';

export const outbox = (context: Context): Outbox => ({
  ...claims(context, turnTeller(context, eventWriter(context))),
  record: recorder(context),
  ...deliveryReader(context),
  ...deliveryRetry(context),
  ...attemptReader(context),
  ...recovery(context),
});
