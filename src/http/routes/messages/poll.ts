/** `GET /devices/{id}/messages/{messageId}/poll` (docs/spec/messages.md, Receipts and votes): the votes on a poll so far. */
import { Type } from 'typebox';
import { tallyOf } from '../../../domain/messages/annotation.ts';
import { notFound } from '../../../errors.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { chatIn, chatParameter } from '../../schemas/chat.ts';
import { PersonSchema } from '../../schemas/messages/parts.ts';

const TallySchema = Type.Object(
  {
    question: Type.String(),
    options: Type.Array(
      Type.Object({ option: Type.String(), votes: Type.Integer(), voters: Type.Array(PersonSchema) }),
    ),
    maxAnswers: Type.Integer(),
    voters: Type.Integer({ description: 'How many people have voted' }),
  },
  { title: 'Tally' },
);

export const getPoll = operation({
  id: 'getMessagePoll',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}/poll',
  tag: 'Messages',
  summary: 'Retrieve the votes on a poll',
  description: 'The newest vote of each person. A message that is not a poll is a 404.',
  query: members({ chat: Type.Optional(chatParameter) }),
  answer: answer({ poll: TallySchema }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId, params, query }) {
    const { messages } = parts.stores;
    const message = await messages.find(deviceId, params.messageId, chatIn(query));
    if (message === null) throw notFound('Message');
    const poll = message.parts?.poll ?? null;
    if (poll === null) throw notFound('Poll');
    const [kept = []] = await messages.annotations(deviceId, [message], ['vote']);
    return { poll: tallyOf(poll, kept), status: ok('Poll retrieved') };
  },
});
