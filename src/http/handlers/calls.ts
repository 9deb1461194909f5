/** `POST /devices/{id}/calls/{callId}/reject` (docs/spec/conversation.md, Calls). */
import { answer, ok } from '../wire/build.ts';
import { operation } from '../wire/operation.ts';

export const rejectCall = operation({
  id: 'rejectCall',
  method: 'POST',
  path: '/devices/{id}/calls/{callId}/reject',
  tag: 'Chats',
  summary: 'Reject a call that is ringing',
  description: '`callId` as in the event `call`. It stops ringing on all devices of the account.',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 422, 429, 500],
  async run({ parts, scope, params }) {
    await parts.conversations.rejectCall(scope, params.callId);
    return { status: ok('Call rejected') };
  },
});
