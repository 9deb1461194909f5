/** Records the responses about additional webhooks, of a device and account-wide; part of `npm run examples`. */
import { eventually } from '../test/support/wait.ts';

interface Answer {
  readonly webhook: { readonly id: string };
  readonly deliveries: readonly { readonly id: string }[];
}

type Call = (
  operationId: string,
  params?: Record<string, string | number>,
  body?: unknown,
  query?: string,
) => Promise<Answer>;

/** `say` triggers an event. */
export const recordWebhooks = async (
  call: Call,
  id: number,
  url: string,
  say: () => Promise<unknown>,
): Promise<void> => {
  const kinds = [
    { params: { id }, names: ['AdditionalWebhook', 'Webhook'], list: 'listWebhooks' },
    { params: {}, names: ['AccountWebhook', 'AccountWebhook'], list: 'listAccountWebhooks' },
  ];
  for (const { params, names, list } of kinds) {
    const [one, plain] = names;
    const wish = { url, events: ['message.received'], headers: { authorization: 'Bearer of-the-receiver' } };
    const { webhook } = await call(`create${plain}`, params, wish);
    const at = { ...params, webhookId: webhook.id };
    await say();
    const { deliveries } = await eventually('a delivery', async () => {
      const page = await call(`list${plain}Deliveries`, at, undefined, '?state=delivered');
      return page.deliveries.length > 0 && page;
    });
    await call(`list${plain}Attempts`, { ...at, deliveryId: deliveries[0]!.id });
    await call(`retry${plain}Delivery`, { ...at, deliveryId: deliveries[0]!.id });
    await call(`retry${plain}Deliveries`, at, {});
    await call(list, params);
    await call(`get${one}`, at);
    await call(`update${plain}`, at, { chats: { except: ['4915112345678'] }, ordered: false });
    await call(`rotate${one}Secret`, at);
    await call(`test${one}`, at);
    await call(`delete${plain}`, at);
  }
};
