/** `GET /devices/{id}/events/{eventId}` (docs/spec/events.md, Event log): one event, as it was posted to the webhook. */
import { envelopeOf } from '../../../domain/event.ts';
import { notFound } from '../../../errors.ts';
import { answerLarge } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { EventSchema } from '../../schemas/event.ts';

export const getEvent = operation({
  id: 'getEvent',
  method: 'GET',
  path: '/devices/{id}/events/{eventId}',
  tag: 'Events',
  summary: 'Retrieve an event',
  description: 'The same envelope as in its deliveries.',
  answer: answer({ event: EventSchema }),
  errors: [401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, params } = call;
    const stored = await answerLarge(call, () => parts.stores.events.find(deviceId, params.eventId));
    if (stored === null) throw notFound('Event');
    return { event: { ...envelopeOf(stored), type: stored.event.type }, status: ok('Event retrieved') };
  },
});
