/** `GET /devices/{id}/messages` (docs/spec/messages.md, Message log and Search): newest first. */
import { Type } from 'typebox';
import { parsePerson } from '../../../domain/chats/address.ts';
import { shownKinds } from '../../../domain/messages/annotation.ts';
import type { MessageFilter } from '../../../domain/messages/search.ts';
import { messageTypes } from '../../../domain/messages/parts.ts';
import { invalidRequest } from '../../../errors.ts';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, nullableTimestamp, oneOf } from '../../wire/build.ts';
import { chatIn, chatParameter } from '../../schemas/chat.ts';
import { isoOrNull, MessageSchema, messageView } from '../../schemas/messages/message.ts';
import { assertSearchable, nextCursor, pageParameters } from '../../schemas/page.ts';
import { parseTimestamp, timestampMember } from '../../wire/timestamp.ts';

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
        items: page.items.map((message, index) => messageView(message, kept[index])),
        nextCursor: page.nextCursor,
        beside: { searchedSince: isoOrNull(page.searchedSince) },
      };
    });
  },
});
