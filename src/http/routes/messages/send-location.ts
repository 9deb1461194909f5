/** `POST /devices/{id}/messages/location` (docs/spec/messages.md, Send a location). */
import { operation } from '../../server/operation.ts';
import { SendLocationSchema, SentSchema } from '../../schemas/messages/send.ts';
import { idempotencyHeader, sent } from './sent.ts';

export const sendLocation = operation({
  id: 'sendLocation',
  method: 'POST',
  path: '/devices/{id}/messages/location',
  tag: 'Messages',
  summary: 'Send a location',
  description: 'Answers once the network has accepted the message.',
  headers: idempotencyHeader,
  body: {
    schema: SendLocationSchema,
    examples: {
      toNumber: {
        toNumber: '4915112345678',
        latitude: 52.5163,
        longitude: 13.3777,
        name: 'Brandenburg Gate',
        address: 'Pariser Platz, Berlin',
      },
    },
  },
  answer: SentSchema,
  bySchema: true,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const { latitude, longitude, name = null, address = null } = call.body;
    return sent(call, call.body, { kind: 'location', location: { latitude, longitude, name, address } });
  },
});
