/** `POST /devices/{id}/chats/{chat}/history` (docs/spec/conversation.md, History). */
import { Type } from 'typebox';
import { accepted, answer, members } from '../../wire/build.ts';
import { operation } from '../../wire/operation.ts';

const LoadHistorySchema = members(
  {
    count: Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'How many messages, 1 to 500; the phone may send fewer',
      errorMessage: 'must be a whole number from 1 to 500',
    }),
  },
  { title: 'LoadHistory' },
);

export const loadHistory = operation({
  id: 'loadHistory',
  method: 'POST',
  path: '/devices/{id}/chats/{chat}/history',
  tag: 'Chats',
  summary: 'Ask the phone for older messages of a chat',
  description:
    'They come into the message log, marked as `historic`, and not as `message.received`. The event `history.loaded` says how many came; after a minute without an answer of the phone, that none did.',
  body: { schema: LoadHistorySchema, examples: { fifty: { count: 50 } } },
  success: 202,
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body, reply }) {
    await parts.conversations.loadHistory(caller.user.id, deviceId, params.chat, body.count);
    reply.code(202);
    return { status: accepted('Older messages were asked for') };
  },
});
