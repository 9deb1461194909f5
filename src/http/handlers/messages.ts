/** The message log, receipts and votes (docs/spec/messages.md, Message log, Search, Receipts and votes). */
import { Type } from 'typebox';
import { parsePerson } from '../../domain/chats/address.ts';
import { type PersonReceipt, receiptKinds, receiptsIn, shownKinds, tallyOf } from '../../domain/messages/annotation.ts';
import type { MessageFilter } from '../../domain/messages/search.ts';
import { messageTypes } from '../../domain/messages/parts.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import { answerLarge, answerPages } from '../streams/answers.ts';
import { operation } from '../wire/operation.ts';
import { answer, members, nullableTimestamp, ok, oneOf, parseTimestamp, timestampMember } from '../wire/build.ts';
import { chatIn, chatParameter } from '../schemas/chat.ts';
import { isoOrNull, MessageSchema, messageView } from '../schemas/messages/message.ts';
import { assertSearchable, nextCursor, pageParameters } from '../schemas/page.ts';
import { viewOf } from './stored-message.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { PersonSchema } from '../schemas/messages/parts.ts';

const filters = {
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '\\S',
      description:
        'Words or parts of words that must all be in the message, without regard to case and accents. A page may have fewer items than `limit` though more follow',
      errorMessage: 'must be 1 to 200 characters, not all of them spaces',
    }),
  ),
  type: Type.Optional(oneOf(messageTypes, { errorMessage: `must be one of ${messageTypes.join(', ')}` })),
  from: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The sender: a JID of either address, or the digits of a phone number',
      errorMessage: 'must be a JID or the digits of a phone number',
    }),
  ),
  since: Type.Optional(timestampMember('Messages from this time on')),
  until: Type.Optional(timestampMember('Messages up to this time')),
};

type Filters = { readonly [Name in keyof typeof filters]?: string };

const filterOf = ({ q, from, since, until }: Filters, type: MessageFilter['type']): MessageFilter => {
  const filter: MessageFilter = {
    ...(q === undefined ? {} : { q }),
    ...(type === undefined ? {} : { type }),
    ...(from === undefined ? {} : { from: parsePerson(from, 'from') }),
    ...(since === undefined ? {} : { since: parseTimestamp('since', since) }),
    ...(until === undefined ? {} : { until: parseTimestamp('until', until) }),
  };
  if ((filter.since ?? -Infinity) > (filter.until ?? Infinity)) throw invalidRequest('since must not be after until');
  return filter;
};

const searchedSince = nullableTimestamp(
  'A search has looked at all messages from this time on, and at none before; null: at all, or nothing was searched for. Where `nextCursor` is null, go on with this as `until`',
);

export const listMessages = operation({
  id: 'listMessages',
  method: 'GET',
  path: '/devices/{id}/messages',
  tag: 'Messages',
  summary: 'List or search messages, newest first',
  query: members({ ...pageParameters, chat: Type.Optional(chatParameter), ...filters }),
  answer: answer({ messages: Type.Array(MessageSchema), nextCursor, searchedSince }),
  errors: [400, 401, 404, 408, 429, 500],
  async run(call) {
    const { parts, deviceId, query } = call;
    assertSearchable(query.q, parts.options.search);
    const chat = chatIn(query);
    const filter = filterOf(query, query.type);
    const isSearch = [query.q, query.type, query.from].some((given) => given !== undefined);
    const signal = isSearch ? await call.request.ticket?.admitSearch() : undefined;
    return answerPages(call, { name: 'messages', done: 'Messages listed', isSearch }, async (piece) => {
      const page = await parts.stores.messages.list(deviceId, {
        ...piece,
        ...(chat !== undefined && { chat }),
        ...filter,
        signal,
      });
      const kept = await parts.stores.messages.annotations(deviceId, page.items, shownKinds);
      return {
        items: page.items.map((message, index) => messageView(call, message, kept[index])),
        nextCursor: page.nextCursor,
        beside: { searchedSince: isoOrNull(page.searchedSince) },
      };
    });
  },
});

export const getMessage = operation({
  id: 'getMessage',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}',
  tag: 'Messages',
  summary: 'Retrieve a message and its delivery state',
  description:
    'The sender chooses the id. If two chats have a message with this id, the older one is returned; `chat` selects the other.',
  query: members({ chat: Type.Optional(chatParameter) }),
  answer: answer({ message: MessageSchema }),
  errors: [400, 401, 404, 408, 429, 500],
  run: (call) => answerLarge(call, async () => ({ message: await viewOf(call), status: ok('Message retrieved') })),
});

const ReceiptSchema = Type.Object(
  {
    person: PersonSchema,
    deliveredAt: nullableTimestamp('When it reached the person'),
    readAt: nullableTimestamp('When the person read it'),
    playedAt: nullableTimestamp('When the person played the voice message'),
  },
  { title: 'Receipt' },
);

/** In a chat of two, the message itself has the receipts. */
const withOther = (message: MessageRecord, receipts: readonly PersonReceipt[]): readonly PersonReceipt[] => {
  const { isGroup, direction, chat: jid, chatNumber: number, chatLid: lid, deliveredAt, readAt } = message;
  if (isGroup || direction === 'in') return receipts;
  const playedAt = receipts[0]?.playedAt ?? null;
  return deliveredAt === null && readAt === null && playedAt === null
    ? []
    : [{ person: { jid, number, lid }, deliveredAt, readAt, playedAt }];
};

export const getReceipts = operation({
  id: 'getMessageReceipts',
  method: 'GET',
  path: '/devices/{id}/messages/{messageId}/receipts',
  tag: 'Messages',
  summary: 'List who received, read and played a sent message',
  description: 'In a group, everyone who has sent a receipt; of a received message, nobody.',
  query: members({ chat: Type.Optional(chatParameter) }),
  answer: answer({ receipts: Type.Array(ReceiptSchema) }),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, deviceId, params, query }) {
    const { messages } = parts.stores;
    const message = await messages.find(deviceId, params.messageId, chatIn(query));
    if (message === null) throw notFound('Message');
    const [kept = []] = await messages.annotations(deviceId, [message], receiptKinds);
    const receipts = withOther(message, receiptsIn(kept)).map(({ person, deliveredAt, readAt, playedAt }) => ({
      person,
      deliveredAt: isoOrNull(deliveredAt),
      readAt: isoOrNull(readAt),
      playedAt: isoOrNull(playedAt),
    }));
    return { receipts, status: ok('Receipts listed') };
  },
});

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
