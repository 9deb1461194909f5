/** Deliveries and their attempts as callers see them (docs/spec/webhooks.md, Deliveries). */
import { Type } from 'typebox';
import { allKinds } from '../../domain/event.ts';
import { oneOf, timestamp, nullableTimestamp, nullableInteger, nullableText } from '../build.ts';

export const DeliverySchema = Type.Object(
  {
    id: Type.String({ examples: ['dlv_…'] }),
    deviceId: Type.Integer({ description: 'The device of the event; it may be deleted by now' }),
    eventId: Type.String({ examples: ['evt_…'] }),
    eventType: Type.Unsafe<string>({ type: 'string', enum: [...allKinds], title: 'AnyEventKind' }),
    state: oneOf(['pending', 'delivered', 'failed']),
    attempts: Type.Integer(),
    createdAt: timestamp('When the event was made'),
    nextAttemptAt: nullableTimestamp('When it is posted next; null when no attempt is due'),
    lastAttemptAt: nullableTimestamp('When it was last posted'),
    deliveredAt: nullableTimestamp('When the endpoint accepted it'),
    lastStatus: nullableInteger({ description: 'HTTP status of the last answer; null when there was none' }),
    lastError: nullableText({ description: 'Why the attempt failed' }),
    lastDurationMs: nullableInteger(),
    lastResponse: nullableText({ description: 'The first kilobyte of the last answer' }),
    late: Type.Boolean({
      description:
        'Failed for two minutes, so later events of its chat no longer wait for it: it may arrive out of order',
    }),
  },
  { title: 'Delivery' },
);

export const AttemptSchema = Type.Object(
  {
    at: timestamp('When the attempt ended'),
    status: nullableInteger({ description: 'HTTP status of the answer; null when there was none' }),
    ms: nullableInteger({ description: 'Duration in milliseconds' }),
    error: nullableText({ description: 'Why the attempt failed' }),
    answer: nullableText({ description: 'The first kilobyte of the answer; null when there was none' }),
    headers: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
      description:
        'Headers of the answer in lower case, up to 4 kB, without those that may hold a secret, such as Set-Cookie; ' +
        'null when there was no answer, or a success without a body',
    }),
  },
  { title: 'Attempt' },
);
