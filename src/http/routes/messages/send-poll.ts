/** `POST /devices/{id}/messages/poll` (docs/spec/messages.md, Send a poll). */
import { operation } from '../../wire/operation.ts';
import { SendPollSchema } from '../../schemas/messages/send.ts';
import { sending } from './sending.ts';
import { sent } from './sent.ts';

export const sendPoll = operation({
  id: 'sendPoll',
  method: 'POST',
  path: '/devices/{id}/messages/poll',
  tag: 'Messages',
  summary: 'Send a poll',
  description: 'Answers once the network has accepted the message.',
  ...sending,
  body: {
    schema: SendPollSchema,
    examples: {
      toGroup: { to: '120363025246125486@g.us', question: 'Where to?', options: ['Lisbon', 'Oslo'], maxAnswers: 1 },
    },
  },
  async run(call) {
    const { question, options, maxAnswers = 1 } = call.body;
    return sent(call, call.body, { kind: 'poll', poll: { question, options, maxAnswers } });
  },
});
