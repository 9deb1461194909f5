/** `GET /devices/{id}/deliveries/{deliveryId}/attempts` (docs/spec/webhooks.md, Deliveries): newest first. */
import { Type } from 'typebox';
import { notFound } from '../../../errors.ts';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';
import { AttemptSchema, attemptView } from '../../schemas/webhook.ts';

export const listAttempts = operation({
  id: 'listAttempts',
  method: 'GET',
  path: '/devices/{id}/deliveries/{deliveryId}/attempts',
  tag: 'Webhooks',
  summary: 'List the attempts of a delivery',
  query: members(pageParameters),
  answer: answer({ attempts: Type.Array(AttemptSchema), nextCursor }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, params } = call;
    return answerPages(call, { name: 'attempts', done: 'Attempts listed' }, async (piece) => {
      const page = await parts.stores.outbox.attempts(deviceId, params.deliveryId, piece);
      if (page === null) throw notFound('Delivery');
      return { ...page, items: page.items.map(attemptView) };
    });
  },
});
