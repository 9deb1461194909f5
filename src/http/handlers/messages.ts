/** The message log, receipts and votes (docs/spec/messages.md, Message log, Search, Receipts and votes). */
import * as declared from '../../contract/operations/messages.ts';
import type { filters } from '../../contract/operations/messages.ts';
import type { MessageFilter } from '../../domain/messages/search.ts';
import { parsePerson } from '../../domain/chats/recipient.ts';
import { parseTimestamp, ok } from '../wire/values.ts';
import { invalidRequest, notFound } from '../../errors.ts';
import { assertSearchable } from '../views/page.ts';
import { chatIn } from '../views/chat.ts';
import { answerPages, answerLarge } from '../streams/answers.ts';
import { type PersonReceipt, receiptKinds, receiptsIn, tallyOf } from '../../domain/messages/annotation.ts';
import { messageViews } from '../views/messages/message.ts';
import { isoOrNull, personView } from '../../domain/event-view.ts';
import { handle } from '../wire/operation.ts';
import { viewOf } from './stored-message.ts';
import type { MessageRecord } from '../../domain/message.ts';

type Filters = { readonly [Name in keyof typeof filters]?: string };

const filterOf = ({ q, from, since, until, label }: Filters, type: MessageFilter['type']): MessageFilter => {
  const filter: MessageFilter = {
    ...(q === undefined ? {} : { q }),
    ...(type === undefined ? {} : { type }),
    ...(from === undefined ? {} : { from: parsePerson(from, 'from') }),
    ...(since === undefined ? {} : { since: parseTimestamp('since', since) }),
    ...(until === undefined ? {} : { until: parseTimestamp('until', until) }),
    ...(label === undefined ? {} : { label }),
  };
  if ((filter.since ?? -Infinity) > (filter.until ?? Infinity)) throw invalidRequest('since must not be after until');
  return filter;
};

export const listMessages = handle(declared.listMessages, async (call) => {
  const { services, deviceId, query } = call;
  assertSearchable(query.q, services.options.search);
  const chat = chatIn(query);
  const filter = filterOf(query, query.type);
  const isSearch = [query.q, query.type, query.from].some((given) => given !== undefined);
  const signal = isSearch ? await call.request.ticket?.admitSearch() : undefined;
  return answerPages(call, { name: 'messages', done: 'Messages listed', isSearch }, async (piece) => {
    const page = await services.stores.messages.list(deviceId, {
      ...piece,
      ...(chat !== undefined && { chat }),
      ...filter,
      signal,
    });
    return {
      items: await messageViews(call, page.items),
      nextCursor: page.nextCursor,
      beside: { searchedSince: isoOrNull(page.searchedSince) },
    };
  });
});

export const getMessage = handle(declared.getMessage, (call) =>
  answerLarge(call, async () => ({ message: await viewOf(call), status: ok('Message retrieved') })),
);

/** In a chat with one person, the message itself has the receipts. */
const withOther = (message: MessageRecord, receipts: readonly PersonReceipt[]): readonly PersonReceipt[] => {
  const { isGroup, direction, chat: jid, chatNumber: number, chatLid: lid, deliveredAt, readAt } = message;
  if (isGroup || direction === 'in') return receipts;
  const playedAt = receipts[0]?.playedAt ?? null;
  return deliveredAt === null && readAt === null && playedAt === null
    ? []
    : [{ person: { jid, number, lid }, deliveredAt, readAt, playedAt }];
};

export const getReceipts = handle(declared.getReceipts, async ({ services, deviceId, params, query }) => {
  const { messages } = services.stores;
  const message = await messages.find(deviceId, params.messageId, chatIn(query));
  if (message === null) throw notFound('Message');
  const [kept = []] = await messages.annotations(deviceId, [message], receiptKinds);
  const receipts = withOther(message, receiptsIn(kept)).map(({ person, deliveredAt, readAt, playedAt }) => ({
    person: personView(person),
    deliveredAt: isoOrNull(deliveredAt),
    readAt: isoOrNull(readAt),
    playedAt: isoOrNull(playedAt),
  }));
  return { receipts, status: ok('Receipts listed') };
});

export const getPoll = handle(declared.getPoll, async ({ services, deviceId, params, query }) => {
  const { messages } = services.stores;
  const message = await messages.find(deviceId, params.messageId, chatIn(query));
  if (message === null) throw notFound('Message');
  const poll = message.parts?.poll ?? null;
  if (poll === null) throw notFound('Poll');
  const [kept = []] = await messages.annotations(deviceId, [message], ['vote']);
  const { options, ...tally } = tallyOf(poll, kept);
  const shown = options.map(({ voters, ...option }) => ({ ...option, voters: voters.map(personView) }));
  return { poll: { ...tally, options: shown }, status: ok('Poll retrieved') };
});
