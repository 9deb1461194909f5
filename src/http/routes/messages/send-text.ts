/** `POST /devices/{id}/messages/text` (docs/spec/messages.md, Send text). */
import { operation } from '../../wire/operation.ts';
import { SendTextSchema } from '../../schemas/messages/send.ts';
import { sending } from './sending.ts';
import { sent } from './sent.ts';

export const sendText = operation({
  id: 'sendText',
  method: 'POST',
  path: '/devices/{id}/messages/text',
  tag: 'Messages',
  summary: 'Send a text message',
  description:
    'Answers once the network has accepted the message. With `linkPreview` the title, description and picture of the first link are fetched first, within 5 seconds; what cannot be had is left out.',
  ...sending,
  body: {
    schema: SendTextSchema,
    examples: {
      toNumber: { toNumber: '4915112345678', message: 'Hello' },
      toGroup: { to: '120363025246125486@g.us', message: 'Hello, all' },
      preview: { toNumber: '4915112345678', message: 'See https://example.com', linkPreview: true },
      reply: { toNumber: '4915112345678', message: 'Yes, at noon', quotedMessageId: '3EB0C767D82C0A1B6F43' },
    },
  },
  run: (call) => sent(call, call.body, { kind: 'text', text: call.body.message }, call.body.linkPreview),
});
