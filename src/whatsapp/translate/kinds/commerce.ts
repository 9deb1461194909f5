/** Orders and products of a business's catalogue. */
import type { Kinds } from '../parts/kind.ts';

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
