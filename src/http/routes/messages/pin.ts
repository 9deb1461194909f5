/** `PUT /devices/{id}/messages/{messageId}/pin` (docs/spec/messages.md, Pin). */
import { pin } from '../../../service/sending/earlier.ts';
import { ChangedSchema, ofChat, PinSchema } from '../../schemas/messages/change.ts';
import { ok } from '../../schemas/build.ts';
import { operation } from '../../server/operation.ts';
import { idempotencyHeader, changed } from './sent.ts';

export const setPin = operation({
  id: 'setPin',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/pin',
  tag: 'Messages',
  summary: 'Pin a message for everyone, or take the pin away',
  description: 'For 24 hours, 7 days or 30 days.',
  headers: idempotencyHeader,
  body: { schema: PinSchema, examples: { week: { pinned: true, seconds: 604800 }, none: { pinned: false } } },
  query: ofChat,
  answer: ChangedSchema,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const { pinned, seconds = 604_800 } = call.body;
    const make = pin(pinned ? seconds : null);
    return {
      message: await changed(call, 'pin', call.body, make),
      status: ok(pinned ? 'Message pinned' : 'Pin removed'),
    };
  },
});
