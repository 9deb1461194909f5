/** Payments, requests for them, and invoices: the note that goes with them. */
import type { proto } from '../../engine/proto.ts';
import type { Kinds } from '../parts/kind.ts';

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
