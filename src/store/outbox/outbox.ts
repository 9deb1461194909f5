/** The queue of webhook deliveries as the dispatcher and its users see it. */
import type { Outbox } from '../../domain/stores.ts';
import type { Context } from '../context.ts';
import { attemptReader } from './attempts.ts';
import { eventWriter } from '../events/event-writer.ts';
import { turnTeller } from '../webhooks/settle.ts';
import { claims } from './delivery-queues.ts';
import { deliveryReader } from './deliveries.ts';
import { recorder } from './record.ts';
import { recovery } from './recovery.ts';
import { deliveryRetry } from './retry.ts';

export const outbox = (context: Context): Outbox => ({
  ...claims(context, turnTeller(context, eventWriter(context))),
  record: recorder(context),
  ...deliveryReader(context),
  ...deliveryRetry(context),
  ...attemptReader(context),
  ...recovery(context),
});
