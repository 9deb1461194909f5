/** `PUT /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Edit). */
import { edit } from '../../../service/sending/earlier.ts';
import { ChangedSchema, EditSchema, ofChat } from '../../schemas/messages/change.ts';
import { ok } from '../../schemas/build.ts';
import { operation } from '../../server/operation.ts';
import { idempotencyHeader, changed } from './sent.ts';

export const editMessage = operation({
  id: 'editMessage',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Edit a text or a caption',
  description:
    'Own messages only, up to 15 minutes after they were sent. Answers the message as it is then, once the network has accepted the edit.',
  headers: idempotencyHeader,
  body: { schema: EditSchema, examples: { text: { message: 'Hello, world' } } },
  query: ofChat,
  answer: ChangedSchema,
  atOwner: true,
  sends: true,
  errors: [400, 401, 403, 404, 408, 409, 413, 422, 429, 500],
  async run(call) {
    const { message: text } = call.body;
    return { message: await changed(call, 'edit', call.body, edit(text)), status: ok('Message edited') };
  },
});
