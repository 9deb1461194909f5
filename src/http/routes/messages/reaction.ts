/** `PUT /devices/{id}/messages/{messageId}/reaction` (docs/spec/messages.md, Reaction). */
import { reaction } from '../../../service/sending/earlier.ts';
import { ReactionSchema } from '../../schemas/message-change.ts';
import { ok } from '../../wire/build.ts';
import { operation } from '../../wire/operation.ts';
import { changing } from './sending.ts';
import { changed } from './sent.ts';

export const setReaction = operation({
  id: 'setReaction',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/reaction',
  tag: 'Messages',
  summary: 'React to a message',
  description: 'One emoji, which replaces an earlier one; null takes it back.',
  ...changing,
  body: { schema: ReactionSchema, examples: { thumb: { reaction: '👍' }, none: { reaction: null } } },
  async run(call) {
    const make = reaction(call.body.reaction);
    return { message: await changed(call, 'reaction', call.body, make), status: ok('Reaction set') };
  },
});
