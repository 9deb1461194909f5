/** The deliveries of a webhook, what they wait for, and how to resend them. */
import { useMemo } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Delivery, DeliveryState, HandsetEvent } from '../../api/types.ts';
import type { Answer } from '../../api/schemas.ts';
import { type Loaded, useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { useNotify } from '../../ui/notices.tsx';
import { isRetrying } from './standing.ts';

const words = texts.deliveries;

export type Filter = 'all' | DeliveryState;

type Page = Answer<'listDeliveries'>;

const pageSize = 50;
const maxCounted = 200;
/** Maximum number of single retries. The endpoint's first success brings the others forward. */
const maxRetried = 20;

export interface Troubles {
  readonly retrying: number;
  readonly waiting: number;
  readonly failed: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
}

/** `paused`: the webhook is stopped, so due deliveries wait. */
type Again = Pick<Answer<'retryDelivery'>, 'paused'>;

export interface Deliveries {
  readonly page: Loaded<Page>;
  readonly troubles: Troubles | null;
  readonly events: ReadonlyMap<string, HandsetEvent>;
  readonly more: () => Promise<void>;
  readonly resend: (delivery: Delivery) => Promise<void>;
  readonly resendAll: () => Promise<void>;
  readonly reload: () => void;
}

/** Maximum number of devices whose events are read. */
const maxDevices = 5;

/** Events by ID, which say whose chat a delivery is of, and what it waits for. */
const useEventsOf = (deliveries: readonly Delivery[]): ReadonlyMap<string, HandsetEvent> => {
  const { client } = useAccount();
  const devices = [...new Set(deliveries.map(({ deviceId }) => deviceId))].slice(0, maxDevices);
  const types = [...new Set(deliveries.map(({ eventType }) => eventType))].toSorted().join(',');
  const query = `order=newest&limit=200&types=${types}`;
  const loaded = useLoad(
    async () => {
      const answers = devices.map((id) =>
        client
          .get<{ events: readonly HandsetEvent[] }>(`/v1/devices/${id}/events?${query}`)
          // The device may have been deleted.
          .catch(() => ({ events: [] })),
      );
      return (await Promise.all(answers)).flatMap(({ events }) => events);
    },
    devices.length === 0 ? null : `${devices.join()} ${query} ${deliveries[0]!.id}`,
  );
  return useMemo(() => new Map((loaded.value ?? []).map((event) => [event.id, event])), [loaded.value]);
};

export const useDeliveries = (base: string, filter: Filter): Deliveries => {
  const { client, generation } = useAccount();
  const notify = useNotify();
  const path = `${base}/deliveries?limit=${pageSize}${filter === 'all' ? '' : `&state=${filter}`}`;
  const page = useLoad(() => client.get<Page>(path), `${base}:${filter}:${generation}`);
  const asUnavailable = async (): Promise<{ readonly pending: Page; readonly failed: Page }> => {
    const [pending, failed] = await Promise.all(
      ['pending', 'failed'].map((state) => client.get<Page>(`${base}/deliveries?limit=${maxCounted}&state=${state}`)),
    );
    const none = { deliveries: [], nextCursor: null };
    return { pending: pending ?? none, failed: failed ?? none };
  };
  // Each request counts against the rate limit.
  const isTroubled = page.value?.deliveries.some(({ state }) => state !== 'delivered') === true;
  const counted = useLoad(asUnavailable, isTroubled ? `${base}:${generation}` : null);
  const troubles = isTroubled &&
    counted.value && {
      retrying: counted.value.pending.deliveries.filter(isRetrying).length,
      waiting: counted.value.pending.deliveries.filter((one) => !isRetrying(one)).length,
      failed: counted.value.failed.deliveries.length,
      more: counted.value.pending.nextCursor !== null || counted.value.failed.nextCursor !== null,
    };
  const reload = (): void => {
    page.reload();
    if (isTroubled) counted.reload();
  };
  const oneAgain = (delivery: Delivery): Promise<Again> => client.post(`${base}/deliveries/${delivery.id}/retry`);
  return {
    page,
    troubles: troubles || null,
    events: useEventsOf(page.value?.deliveries ?? []),
    reload,
    async more() {
      const cursor = page.value?.nextCursor ?? '';
      const next = await client.get<Page>(`${path}&cursor=${encodeURIComponent(cursor)}`);
      page.change((old) =>
        old.nextCursor === cursor ? { ...next, deliveries: [...old.deliveries, ...next.deliveries] } : old,
      );
    },
    async resend(delivery) {
      const { paused } = await oneAgain(delivery);
      notify.good(paused ? words.resentPaused : words.resent);
      reload();
    },
    async resendAll() {
      const { retried, paused } = await client.post<Answer<'retryFailedDeliveries'>>(`${base}/deliveries/retry`, {});
      const { pending } = await asUnavailable();
      // Oldest first, because others of its chat wait for it.
      const retrying = pending.deliveries.filter(isRetrying).toReversed();
      for (const delivery of retrying.slice(0, maxRetried)) await oneAgain(delivery);
      reload();
      const count = retried + Math.min(retrying.length, maxRetried);
      notify.good(paused ? words.resentPaused : words.resentCount(count));
    },
  };
};
