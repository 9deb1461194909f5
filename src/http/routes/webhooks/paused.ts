/** A webhook that is stopped: what is due for it waits, and how to start it (docs/spec/webhooks.md, Deliveries). */
import { Type } from 'typebox';
import { type AdditionalWebhook, webhookName } from '../../../domain/webhooks/additional.ts';
import type { Webhook } from '../../../domain/delivery.ts';
import { ok } from '../../wire/build.ts';

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
