/** The page of a device's deliveries, of its own webhook or another one. */
import { useId, useState } from 'react';
import { useEvents } from '../../account/account.tsx';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { useWebhooks } from '../../webhooks/use-webhooks.ts';
import { DeliveryList } from './delivery-list.tsx';

const words = texts.deliveries;

export const Deliveries = ({ device }: { readonly device: Device }) => {
  const label = useId();
  const [news, setNews] = useState(0);
  const [picked, choose] = useState<string | null>(null);
  const path = `/v1/devices/${device.id}`;
  const webhooks = useWebhooks(path);
  useEvents(device.id, () => setNews((n) => n + 1));
  const others = (webhooks.value ?? []).filter(({ id }) => id !== 'primary');
  // Another webhook if the device's own has no URL and so no deliveries.
  const chosen = picked ?? (device.webhookUrl === null ? others[0]?.id : undefined) ?? 'primary';
  const base = others.some(({ id }) => id === chosen) ? `${path}/webhooks/${chosen}` : path;
  return (
    <section className="card" aria-labelledby="deliveries-title">
      <div className="row between">
        <h2 id="deliveries-title">{words.title}</h2>
        {others.length > 0 && (
          <div className="inline">
            <label htmlFor={label}>{words.webhook}</label>
            <select id={label} value={chosen} onChange={(change) => choose(change.target.value)}>
              <option value="primary">{texts.webhooks.primary}</option>
              {others.map(({ id, url }) => (
                <option key={id} value={id}>
                  {url}
                </option>
              ))}
            </select>
          </div>
        )}
      </div>
      <DeliveryList
        key={base}
        base={base}
        device={device.id}
        news={news}
        refreshed={() => setNews(0)}
        next={
          device.webhookUrl === null && (
            <a className="button" href={`#/devices/${device.id}/webhook`}>
              {texts.device.tabs.webhook}
            </a>
          )
        }
      />
    </section>
  );
};
