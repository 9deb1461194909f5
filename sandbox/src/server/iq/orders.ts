/** Orders: their lines, by the message's token (Baileys rc14 `getOrderDetails`). Amounts are in thousandths. */
import { bytesOf, childOf, element, errorOf, resultOf } from '../../base/nodes.ts';
import { orderOf } from '../../base/order-token.ts';
import type { IqHandler, IqTable } from './table.ts';

const thousandths = (amount: number): string => String(Math.round(amount * 1000));

const text = (tag: string, value: string) => element(tag, {}, Buffer.from(value));

const get: IqHandler = (_, __, iq) => {
  const asked = childOf(iq, 'order');
  const token = bytesOf(childOf(asked, 'token'));
  if (asked?.attrs.op !== 'get' || token === null) return errorOf(iq, 400, 'bad-request');
  const order = orderOf(Buffer.from(token).toString());
  if (order === null || order.id !== asked.attrs.id) return errorOf(iq, 404, 'item-not-found');
  const { lines, total, currency } = order;
  const products = lines.map(({ id, name, quantity, price }) =>
    element('product', {}, [
      text('id', id),
      text('name', name),
      text('price', thousandths(price)),
      text('currency', currency),
      text('quantity', String(quantity)),
    ]),
  );
  const price = element('price', {}, [text('total', thousandths(total)), text('currency', currency)]);
  return resultOf(iq, [element('order', { id: order.id }, [...products, price])]);
};

export const orderIqs: IqTable = { 'fb:thrift_iq get order': get };
