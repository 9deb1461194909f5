/** Messages that are no conversation: commerce, payments, calls, notices. */
import type { Kinds, Said } from '../parts/kind.ts';
import type { proto } from '../../engine/proto.ts';

export const callLogKinds: Kinds = {
  callLogMesssage: () => ({ type: 'callLog' }),
  bcallMessage: ({ bcallMessage: call }) => ({ type: 'callLog', text: call!.caption }),
};

export const commerceKinds: Kinds = {
  orderMessage: ({ orderMessage: order }) => ({
    type: 'order',
    text: order!.message || order!.orderTitle,
    context: order!.contextInfo,
  }),
  productMessage: ({ productMessage: product }) => ({
    type: 'product',
    text: product!.body || product!.product?.title || product!.catalog?.title,
    context: product!.contextInfo,
  }),
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
