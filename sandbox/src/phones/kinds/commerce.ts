/** Products, orders and payments. */
import { proto } from 'baileys';
import { orderOf, tokenOf } from '../../base/order-token.ts';
import type { MediaLocation, Message } from '../context/context.ts';
import { imageOf } from './media.ts';
import type { PartReader } from './part.ts';
import type { Order, Payment, Product } from './types.ts';

/** The network counts amounts in thousandths. */
const thousandths = (amount: number): number => Math.round(amount * 1000);

const amountOf = (value: number | { toString(): string } | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value) / 1000;

export const productMessage = async (
  { id: productId, title, description, price, currency: currencyCode, url, business }: Product,
  image: Uint8Array | null,
  media: MediaLocation,
): Promise<Message> => {
  const picture = image === null ? null : await imageOf({ bytes: image, caption: null, mimetype: null }, media);
  return {
    productMessage: {
      product: {
        productId,
        title,
        description,
        currencyCode,
        url,
        ...(price !== null && { priceAmount1000: thousandths(price) }),
        ...(picture !== null && { productImage: picture, productImageCount: 1 }),
      },
      businessOwnerJid: business,
    },
  };
};

export const readProduct: PartReader = ({ productMessage: said }) => {
  if (!said) return null;
  const { product: shown, businessOwnerJid, contextInfo: context } = said;
  const product: Product = {
    id: shown?.productId ?? '',
    title: shown?.title || null,
    description: shown?.description || null,
    price: amountOf(shown?.priceAmount1000),
    currency: shown?.currencyCode || null,
    url: shown?.url || null,
    business: businessOwnerJid || null,
  };
  return { type: 'product', members: { text: said.body || null, product }, context };
};

const tokenFor = ({ id, lines, total, currency }: Order): string | null =>
  lines === null ? null : tokenOf({ id, lines, total: total ?? 0, currency: currency ?? '' });

export const orderMessage = (order: Order, text: string | null): Message => {
  const { id, title, items, total, currency, seller } = order;
  return {
    orderMessage: {
      orderId: id,
      orderTitle: title,
      itemCount: items,
      status: proto.Message.OrderMessage.OrderStatus.INQUIRY,
      surface: proto.Message.OrderMessage.OrderSurface.CATALOG,
      message: text,
      sellerJid: seller,
      token: tokenFor(order),
      ...(total !== null && { totalAmount1000: thousandths(total) }),
      totalCurrencyCode: currency,
    },
  };
};

export const readOrder: PartReader = ({ orderMessage: said }) => {
  if (!said) return null;
  const order: Order = {
    id: said.orderId ?? '',
    title: said.orderTitle || null,
    items: said.itemCount ?? 0,
    lines: (said.token ? orderOf(said.token)?.lines : null) ?? null,
    total: amountOf(said.totalAmount1000),
    currency: said.totalCurrencyCode || null,
    seller: said.sellerJid || null,
  };
  return { type: 'order', members: { text: said.message || null, order }, context: said.contextInfo };
};

/** The note is sent as text. */
export const paymentMessage = ({ amount, currency }: Payment, note: string | null, from: string): Message => ({
  requestPaymentMessage: {
    ...(note !== null && { noteMessage: { extendedTextMessage: { text: note } } }),
    currencyCodeIso4217: currency,
    amount1000: thousandths(amount),
    amount: { value: thousandths(amount), offset: 1000, currencyCode: currency },
    requestFrom: from,
  },
});

export const readPayment: PartReader = ({ requestPaymentMessage: request, sendPaymentMessage: sent }) => {
  const note = (request ?? sent)?.noteMessage;
  const text = (note?.extendedTextMessage?.text ?? note?.conversation) || null;
  const context = note?.extendedTextMessage?.contextInfo;
  if (sent) return { type: 'payment', members: { text }, context };
  if (!request) return null;
  const payment: Payment = { amount: amountOf(request.amount1000) ?? 0, currency: request.currencyCodeIso4217 ?? '' };
  return { type: 'payment', members: { text, payment }, context };
};
