/** `GET /devices/{id}/deliveries` (docs/spec/webhooks.md, Deliveries): newest first. */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, oneOf } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';
import { DeliverySchema, deliveryView } from '../../schemas/webhook.ts';

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
