/** `PUT /devices/{id}/messages/{messageId}/reaction` (docs/spec/messages.md, Reaction). */
import { reaction } from '../../../service/sending/earlier.ts';
import { ChangedSchema, ReactionSchema, ofChat } from '../../schemas/messages/change.ts';
import { ok } from '../../schemas/build.ts';
import { operation } from '../../server/operation.ts';
import { idempotencyHeader, changed } from './sent.ts';

export const setReaction = operation({
  id: 'setReaction',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/reaction',
  tag: 'Messages',
  summary: 'React to a message',
  description: 'One emoji, which replaces an earlier one; null takes it back.',
  headers: idempotencyHeader,
  body: { schema: ReactionSchema, examples: { thumb: { reaction: '👍' }, none: { reaction: null } } },
  query: ofChat,
  answer: ChangedSchema,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const make = reaction(call.body.reaction);
    return { message: await changed(call, 'reaction', call.body, make), status: ok('Reaction set') };
  },
});
