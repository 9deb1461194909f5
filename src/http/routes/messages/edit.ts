/** `PUT /devices/{id}/messages/{messageId}` (docs/spec/messages.md, Edit). */
import { edit } from '../../../service/sending/earlier.ts';
import { EditSchema } from '../../schemas/message-change.ts';
import { ok } from '../../wire/build.ts';
import { operation } from '../../wire/operation.ts';
import { changing } from './sending.ts';
import { changed } from './sent.ts';

export const editMessage = operation({
  id: 'editMessage',
  method: 'PUT',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Edit a text or a caption',
  description:
    'Own messages only, up to 15 minutes after they were sent. Answers the message as it is then, once the network has accepted the edit.',
  ...changing,
  body: { schema: EditSchema, examples: { text: { message: 'Hello, world' } } },
  async run(call) {
    const { message: text } = call.body;
    return { message: await changed(call, 'edit', call.body, edit(text)), status: ok('Message edited') };
  },
});
