/** `DELETE /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Delete). */
import { deletion } from '../../../service/sending/earlier.ts';
import { answer, ok } from '../../wire/build.ts';
import { ofDeletion } from '../../schemas/message-change.ts';
import { operation } from '../../wire/operation.ts';
import { earlier } from './earlier.ts';
import { idempotencyHeader, changed } from './sent.ts';

export const deleteMessage = operation({
  id: 'deleteMessage',
  method: 'DELETE',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Delete a message for everyone, or on this account',
  description:
    'For everyone: own messages, in a group also those of others as its administrator, up to 60 hours after they were sent. With `forMe=true` any message, on this account only: its phone and its other devices show it no more.',
  headers: idempotencyHeader,
  query: ofDeletion,
  answer: answer({}),
  atOwner: true,
  sends: true,
  errors: [400, 401, 404, 408, 409, 422, 429, 500],
  async run(call) {
    if (call.query.forMe === 'true') {
      const message = await earlier(call);
      await call.parts.writeAppState(call.deviceId, [{ kind: 'deleteForMe', message }]);
    } else await changed(call, 'delete', {}, deletion);
    return { status: ok('Message deleted') };
  },
});
