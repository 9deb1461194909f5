/** Calls of the operations on additional webhooks, for the test that compares answers with the document. */
import type { Harness } from './harness.ts';

const more = { url: 'https://example.com/more', events: ['call'], headers: { 'x-key': 'y' } };

/** A webhook of a device and an account-wide one, and a delivery to each. */
export interface Hooks {
  readonly device: string;
  readonly account: string;
  readonly own: string;
  readonly wide: string;
}

/** `call` makes an event for them. */
export const hooksFor = async ({ api }: Harness, id: number, call: () => Promise<unknown>): Promise<Hooks> => {
  const device = (await api.post(`/devices/${id}/webhooks`, more)).body.webhook.id;
  const account = (await api.post('/webhooks', more)).body.webhook.id;
  await call();
  const firstOf = async (path: string) => (await api.get(`${path}/deliveries`)).body.deliveries[0].id;
  const own = await firstOf(`/devices/${id}/webhooks/${device}`);
  return { device, account, own, wide: await firstOf(`/webhooks/${account}`) };
};

export const webhookTour = (id: number, hooks: Hooks) =>
  ({
    createWebhook: [id, more],
    listWebhooks: [id],
    getAdditionalWebhook: [id, undefined, hooks.device],
    updateWebhook: [id, { ordered: false }, hooks.device],
    rotateAdditionalWebhookSecret: [id, undefined, hooks.device],
    testAdditionalWebhook: [id, undefined, hooks.device],
    listWebhookDeliveries: [id, undefined, hooks.device],
    listWebhookAttempts: [id, undefined, hooks.device, hooks.own],
    retryWebhookDelivery: [id, undefined, hooks.device, hooks.own],
    retryWebhookDeliveries: [id, undefined, hooks.device],
    deleteWebhook: [id, undefined, hooks.device],
    createAccountWebhook: [more],
    listAccountWebhooks: [],
    getAccountWebhook: [undefined, hooks.account],
    updateAccountWebhook: [{ chats: { only: ['4915112345678'] } }, hooks.account],
    rotateAccountWebhookSecret: [undefined, hooks.account],
    testAccountWebhook: [undefined, hooks.account],
    listAccountWebhookDeliveries: [undefined, hooks.account],
    listAccountWebhookAttempts: [undefined, hooks.account, hooks.wide],
    retryAccountWebhookDelivery: [undefined, hooks.account, hooks.wide],
    retryAccountWebhookDeliveries: [undefined, hooks.account],
    deleteAccountWebhook: [undefined, hooks.account],
  }) as const;
