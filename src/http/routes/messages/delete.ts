/** `DELETE /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Delete). */
import { deletion } from '../../../service/sending/earlier.ts';
import { idempotencyHeader } from '../../admission/idempotency.ts';
import { answer, ok } from '../../schemas/build.ts';
import { ofChat } from '../../schemas/change.ts';
import { operation } from '../../server/operation.ts';
import { changed } from './sent.ts';

export const deleteMessage = operation({
  id: 'deleteMessage',
  method: 'DELETE',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Delete a message for everyone',
  description:
    'Own messages; in a group also those of others, as its administrator. Up to 60 hours after they were sent.',
  headers: idempotencyHeader,
  query: ofChat,
  answer: answer({}),
  atOwner: true,
  sends: true,
  errors: [400, 401, 404, 408, 409, 422, 429, 500],
  async run(call) {
    await changed(call, 'delete', {}, deletion);
    return { status: ok('Message deleted') };
  },
});
