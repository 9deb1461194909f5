/** The token of an order message, which gives access to the order's lines. Here it contains them, so that the network stores nothing. */
export interface OrderLine {
  readonly id: string;
  readonly name: string;
  readonly quantity: number;
  readonly price: number;
}

export interface KeptOrder {
  readonly id: string;
  readonly lines: readonly OrderLine[];
  readonly total: number;
  readonly currency: string;
}

export const tokenOf = (order: KeptOrder): string => Buffer.from(JSON.stringify(order)).toString('base64');

/** Null for a token of another network. */
export const orderOf = (token: string): KeptOrder | null => {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- made by `tokenOf`
    return JSON.parse(Buffer.from(token, 'base64').toString()) as KeptOrder;
  } catch {
    return null;
  }
};
