/** The page of the webhooks that get the events of all devices. */
import { useState } from 'react';
import { DeliveryList } from '../device/deliveries/delivery-list.tsx';
import { texts } from '../base/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { WebhookList } from '../webhooks/webhook-list.tsx';

const words = texts.webhooks;

export const Webhooks = () => {
  const [shown, show] = useState<string | null>(null);
  return (
    <>
      <WebhookList
        scope="/v1"
        isPage
        title={words.accountWide}
        hint={words.accountWideHint}
        deliveriesOf={({ id }) => (
          <button type="button" className="quiet" onClick={() => show(id)}>
            {texts.deliveries.title}
          </button>
        )}
      />
      {shown !== null && (
        <Dialog title={texts.deliveries.title} close={() => show(null)}>
          <DeliveryList base={`/v1/webhooks/${shown}`} device={null} news={0} refreshed={() => undefined} />
        </Dialog>
      )}
    </>
  );
};
