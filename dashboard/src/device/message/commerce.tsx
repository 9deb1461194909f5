/** Orders and products of catalogs. */
import type { Message } from '../../api/message.ts';
import { price } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';

type Line = NonNullable<NonNullable<Message['order']>['items']>[number];

const lineOf = ({ name, id, quantity, price: each }: Line, currency: string | null): string => {
  const title = `${quantity ?? 1} × ${name ?? id ?? texts.message.order.unnamed}`;
  return each === null ? title : `${title}: ${price(each * (quantity ?? 1), currency)}`;
};

export const Order = ({ message: { order } }: { readonly message: Message }) => {
  if (order === null) return null;
  const { items, itemCount, total, currency } = order;
  const { title, count, sum } = texts.message.order;
  return (
    <Part icon={icons.file} kind={title} title={itemCount === null ? title : count(itemCount)}>
      {items?.map((line, index) => (
        <span key={index}>{lineOf(line, currency)}</span>
      ))}
      {total !== null && <strong>{sum(price(total, currency))}</strong>}
    </Part>
  );
};

export const Product = ({ message: { product } }: { readonly message: Message }) => {
  if (product === null) return null;
  const { name, id, description, price: amount, currency } = product;
  return (
    <Part icon={icons.file} kind={texts.chat.type.product} title={name ?? id ?? texts.message.order.unnamed}>
      {amount !== null && <span>{price(amount, currency)}</span>}
      {description !== null && <span className="dim">{description}</span>}
    </Part>
  );
};
