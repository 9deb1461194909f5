/** `PUT /devices/{id}/messages/{messageId}/star` (docs/spec/messages.md, Star). */
import { checkStar } from '../../../domain/messages/rules.ts';
import { ok } from '../../wire/build.ts';
import { ChangedSchema, ofChat, StarSchema } from '../../schemas/message-change.ts';
import { operation } from '../../wire/operation.ts';
import { earlier, viewOf } from './earlier.ts';

export const setStar = operation({
  id: 'setStar',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}/star',
  tag: 'Messages',
  summary: 'Star a message, or take the star away',
  description:
    'On this account only: its phone and its other devices show the star. Answers once the network has taken it; to do it again is harmless.',
  body: { schema: StarSchema, examples: { star: { starred: true }, none: { starred: false } } },
  query: ofChat,
  answer: ChangedSchema,
  atOwner: true,
  errors: [400, 401, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const { starred } = call.body;
    const message = await earlier(call);
    checkStar(message);
    await call.parts.writeAppState(call.deviceId, [{ kind: 'star', message, starred }]);
    return { message: await viewOf(call), status: ok(starred ? 'Message starred' : 'Star removed') };
  },
});
