/** `GET /devices/{id}/messages/{messageId}/receipts` (docs/spec/messages.md, Receipts and votes): how far a message has come, by person. */
import { Type } from 'typebox';
import type { MessageRecord } from '../../../domain/message.ts';
import { type PersonReceipt, receiptKinds, receiptsIn } from '../../../domain/messages/annotation.ts';
import { notFound } from '../../../errors.ts';
import { chatIn, chatParameter } from '../../schemas/chat.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, nullableTimestamp, ok } from '../../wire/build.ts';
import { isoOrNull } from '../../schemas/messages/message.ts';
import { PersonSchema } from '../../schemas/messages/parts.ts';

const ReceiptSchema = Type.Object(
  {
    person: PersonSchema,
    deliveredAt: nullableTimestamp('When it reached the person'),
    readAt: nullableTimestamp('When the person read it'),
    playedAt: nullableTimestamp('When the person played the voice message'),
  },
  { title: 'Receipt' },
);

/** In a chat of two the message itself says how far it has come. */
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
