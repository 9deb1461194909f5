/** Messages outside a conversation: commerce, payments, calls, notices. */
import type { Order, Product } from '../../../domain/messages/parts.ts';
import { countOrNull, cutOrNull } from '../parts/limits.ts';
import type { Kinds, Said } from '../parts/kind.ts';
import type { proto } from '../../library/proto.ts';

export const callLogKinds: Kinds = {
  callLogMesssage: () => ({ type: 'callLog' }),
  bcallMessage: ({ bcallMessage: call }) => ({ type: 'callLog', text: call!.caption }),
};

const thousandthsOrNull = (value: Parameters<typeof countOrNull>[0]): number | null => {
  const count = countOrNull(value);
  return count === null ? null : count / 1_000;
};

/** ISO 4217. */
const currencyOrNull = (code: string | null | undefined): string | null => (code?.length === 3 ? code : null);

const orderOf = (order: proto.Message.IOrderMessage): Order => ({
  id: cutOrNull(order.orderId),
  itemCount: countOrNull(order.itemCount),
  items: null,
  total: thousandthsOrNull(order.totalAmount1000),
  currency: currencyOrNull(order.totalCurrencyCode),
});

const productOf = (product: proto.Message.ProductMessage.IProductSnapshot): Product => ({
  id: cutOrNull(product.productId),
  name: cutOrNull(product.title),
  description: cutOrNull(product.description, 4_096),
  price: thousandthsOrNull(product.salePriceAmount1000) ?? thousandthsOrNull(product.priceAmount1000),
  currency: currencyOrNull(product.currencyCode),
  url: cutOrNull(product.url, 2_048),
});

export const commerceKinds: Kinds = {
  orderMessage: ({ orderMessage: order }) => ({
    type: 'order',
    text: order!.message || order!.orderTitle,
    context: order!.contextInfo,
    parts: { order: orderOf(order!) },
  }),
  productMessage: ({ productMessage: message }) => {
    const { body, product, catalog, contextInfo: context } = message!;
    return {
      type: 'product',
      text: body || product?.title || catalog?.title,
      context,
      ...(product && { parts: { product: productOf(product) } }),
    };
  },
};

const noteOf = (note: proto.IMessage | null | undefined): string | null | undefined =>
  note?.extendedTextMessage?.text ?? note?.conversation;

export const paymentKinds: Kinds = {
  sendPaymentMessage: ({ sendPaymentMessage: payment }) => ({
    type: 'payment',
    text: noteOf(payment!.noteMessage),
    context: payment!.noteMessage?.extendedTextMessage?.contextInfo,
  }),
  requestPaymentMessage: ({ requestPaymentMessage: request }) => ({
    type: 'payment',
    text: noteOf(request!.noteMessage),
    context: request!.noteMessage?.extendedTextMessage?.contextInfo,
  }),
  declinePaymentRequestMessage: () => ({ type: 'payment' }),
  cancelPaymentRequestMessage: () => ({ type: 'payment' }),
  paymentInviteMessage: () => ({ type: 'payment' }),
  invoiceMessage: ({ invoiceMessage: invoice }) => ({ type: 'payment', text: invoice!.note }),
};

const line = (text?: string | null, context?: proto.IContextInfo | null): Said => ({ type: 'system', text, context });

export const systemKinds: Kinds = {
  requestPhoneNumberMessage: ({ requestPhoneNumberMessage: request }) => line(null, request!.contextInfo),
  scheduledCallEditMessage: () => line(),
  newsletterAdminInviteMessage: ({ newsletterAdminInviteMessage: invite }) =>
    line(invite!.caption || invite!.newsletterName, invite!.contextInfo),
  newsletterFollowerInviteMessageV2: ({ newsletterFollowerInviteMessageV2: invite }) =>
    line(invite!.caption || invite!.newsletterName, invite!.contextInfo),
  pollResultSnapshotMessage: ({ pollResultSnapshotMessage: result }) => line(result!.name, result!.contextInfo),
  pollResultSnapshotMessageV3: ({ pollResultSnapshotMessageV3: result }) => line(result!.name, result!.contextInfo),
  statusMentionMessage: () => line(),
  groupStatusMentionMessage: () => line(),
  limitSharingMessage: () => line(),
  statusNotificationMessage: () => line(),
  statusAddYours: () => line(),
  statusStickerInteractionMessage: () => line(),
};

export const silentFields: Readonly<Partial<Record<keyof proto.IMessage, string>>> = {
  senderKeyDistributionMessage: 'a key',
  fastRatchetKeySenderKeyDistributionMessage: 'a key',
  messageContextInfo: 'the secret of the message and its devices, beside the content',
  stickerSyncRmrMessage: 'asks the own devices for stickers',
  keepInChatMessage: 'keeps a message that is to disappear on the phone',
  messageHistoryBundle: 'a file of old messages for a new member of a group',
  messageHistoryNotice: 'tells a group that old messages were sent to a new member',
};
