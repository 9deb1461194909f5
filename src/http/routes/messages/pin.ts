/** `PUT /devices/{id}/messages/{messageId}/pin` (docs/spec/messages.md, Pin). */
import { pin } from '../../../service/sending/earlier.ts';
import { PinSchema } from '../../schemas/message-change.ts';
import { ok } from '../../wire/build.ts';
import { operation } from '../../wire/operation.ts';
import { changing } from './sending.ts';
import { changed } from './sent.ts';

export const setPin = operation({
  id: 'setPin',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/pin',
  tag: 'Messages',
  summary: 'Pin a message for everyone, or take the pin away',
  description: 'For 24 hours, 7 days or 30 days.',
  ...changing,
  body: { schema: PinSchema, examples: { week: { pinned: true, seconds: 604800 }, none: { pinned: false } } },
  async run(call) {
    const { pinned, seconds = 604_800 } = call.body;
    const make = pin(pinned ? seconds : null);
    return {
      message: await changed(call, 'pin', call.body, make),
      status: ok(pinned ? 'Message pinned' : 'Pin removed'),
    };
  },
});
