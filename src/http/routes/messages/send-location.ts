/** `POST /devices/{id}/messages/location` (docs/spec/messages.md, Send a location). */
import { operation } from '../../wire/operation.ts';
import { SendLocationSchema } from '../../schemas/messages/send.ts';
import { sending } from './sending.ts';
import { sent } from './sent.ts';

export const sendLocation = operation({
  id: 'sendLocation',
  method: 'POST',
  path: '/devices/{id}/messages/location',
  tag: 'Messages',
  summary: 'Send a location',
  description: 'Answers once the network has accepted the message.',
  ...sending,
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
  async run(call) {
    const { latitude, longitude, name = null, address = null } = call.body;
    return sent(call, call.body, { kind: 'location', location: { latitude, longitude, name, address } });
  },
});
