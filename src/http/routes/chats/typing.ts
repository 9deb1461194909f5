/** `PUT /devices/{id}/chats/{chat}/typing` (docs/spec/conversation.md, Typing). */
import { longestTypingSeconds } from '../../../domain/chats/conversation.ts';
import { ok } from '../../wire/build.ts';
import { TypingAnswer, TypingSchema } from '../../schemas/conversation.ts';
import { operation } from '../../wire/operation.ts';

export const setTyping = operation({
  id: 'setTyping',
  method: 'PUT',
  path: '/devices/{id}/chats/{chat}/typing',
  tag: 'Chats',
  summary: 'Show that the account is writing or recording',
  description: 'The network may show it only while the account is online (setting `online`).',
  body: { schema: TypingSchema, examples: { text: { state: 'text', seconds: 10 }, none: { state: 'none' } } },
  answer: TypingAnswer,
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 422, 429, 500],
  async run({ parts, caller, deviceId, params, body: { state, seconds = longestTypingSeconds } }) {
    await parts.conversations.showTyping(caller.user.id, deviceId, params.chat, state, seconds);
    const until = new Date(parts.clock.now() + (state === 'none' ? 0 : seconds * 1_000)).toISOString();
    return { typing: { state, until }, status: ok('Typing set') };
  },
});
