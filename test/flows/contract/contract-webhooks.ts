/** Webhooks for the contract test: of a device and account-wide, one of each to be deleted. */
import type { Known } from '../../support/arbitrary.ts';
import type { Api } from '../../support/api.ts';

type Own = Record<string, Known>;

export const webhooksFor = async (client: Api, device: number, receiver: string) => {
  const make = async (base: string): Promise<string> => {
    const more = { url: `${receiver}/more`, events: ['message.received', 'call'] };
    return (await client.post(`${base}/webhooks`, more)).body.webhook.id;
  };
  const ofDevice = `/devices/${device}`;
  const [kept, gone, changed] = [await make(ofDevice), await make(ofDevice), await make(ofDevice)];
  const [wide, wideGone, wideChanged] = [await make(''), await make(''), await make('')];
  const ofAccount = { webhookId: [wide] };
  const own: Own = {
    deleteWebhook: { webhookId: [gone] },
    deleteAccountWebhook: { webhookId: [wideGone] },
    // One that is turned off could not be tested.
    updateWebhook: { webhookId: [changed] },
    updateAccountWebhook: { webhookId: [wideChanged] },
    listWebhookAttempts: { webhookId: ['primary'] },
    retryWebhookDelivery: { webhookId: ['primary'] },
  };
  for (const name of ['get#', 'test#', 'list#Deliveries', 'retry#Deliveries', 'rotate#Secret'])
    own[name.replace('#', 'AccountWebhook')] = ofAccount;
  return {
    own,
    known: { webhookId: [kept], url: [`${receiver}/other`] },
    /** To be called when there are deliveries. */
    async delivered(): Promise<void> {
      const { deliveries } = (await client.get(`/webhooks/${wide}/deliveries`)).body;
      const deliveryId = deliveries.map(({ id }: { id: string }) => id);
      own['listAccountWebhookAttempts'] = { ...ofAccount, deliveryId };
      own['retryAccountWebhookDelivery'] = { ...ofAccount, deliveryId };
    },
  };
};
