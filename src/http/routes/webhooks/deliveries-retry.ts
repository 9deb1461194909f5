/** `POST /devices/{id}/deliveries/{deliveryId}/retry` (docs/spec/webhooks.md, Deliveries): posts it again, now. */
import { notFound } from '../../../errors.ts';
import { operation } from '../../wire/operation.ts';
import { answer } from '../../wire/build.ts';
import { DeliverySchema, deliveryView } from '../../schemas/webhook.ts';
import { oneDue, pauseOf, pausedMember } from './paused.ts';

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
