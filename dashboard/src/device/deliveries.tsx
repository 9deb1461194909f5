/** The webhook deliveries of a device, their results, and buttons to resend them. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Delivery, DeliveryState, Device, HandsetEvent } from '../api/types.ts';
import { fullTime, shortTime } from '../format.ts';
import { useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Action, Await, Badge, Choice, CopyButton, Empty, TableHead } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';

const words = texts.deliveries;
const tones = { pending: 'warn', delivered: 'good', failed: 'bad' } as const;

interface Page {
  readonly deliveries: readonly Delivery[];
  readonly nextCursor: string | null;
}

const resultOf = ({ lastStatus, lastError, attempts, lastDurationMs, late }: Delivery): string =>
  [
    lastStatus === null ? '' : `HTTP ${lastStatus}`,
    lastError ?? '',
    lastDurationMs === null ? '' : `${lastDurationMs} ms`,
    words.attempts(attempts),
    late ? words.late : '',
  ]
    .filter(Boolean)
    .join(' · ');

interface DetailsProps {
  readonly device: Device;
  readonly delivery: Delivery;
  readonly resend: (delivery: Delivery) => Promise<void>;
  readonly close: () => void;
}

const Details = ({ device, delivery, resend, close }: DetailsProps) => {
  const { client } = useAccount();
  const event = useLoad(
    async () =>
      (await client.get<{ event: HandsetEvent }>(`/v1/devices/${device.id}/events/${delivery.eventId}`)).event,
    delivery.eventId,
  );
  const payload = event.value === null ? null : JSON.stringify(event.value, null, 2);
  return (
    <Dialog title={delivery.eventType} close={close}>
      <p className="row">
        <Badge tone={tones[delivery.state]}>{words.state[delivery.state]}</Badge>
        <span>{resultOf(delivery)}</span>
      </p>
      <div className="row between">
        <h3>{words.payload}</h3>
        {payload !== null && <CopyButton text={payload} />}
      </div>
      <Await of={event}>
        {() => (
          <pre tabIndex={0} aria-label={words.payload}>
            {payload}
          </pre>
        )}
      </Await>
      {delivery.lastResponse !== null && delivery.lastResponse !== '' && (
        <>
          <h3>{words.response}</h3>
          <pre tabIndex={0} aria-label={words.response}>
            {delivery.lastResponse}
          </pre>
        </>
      )}
      <div className="row end">
        <Action className="primary" done={words.resent} act={() => resend(delivery)}>
          {words.resend}
        </Action>
      </div>
    </Dialog>
  );
};

interface TableProps {
  readonly deliveries: readonly Delivery[];
  readonly open: (delivery: Delivery) => void;
  readonly resend: (delivery: Delivery) => Promise<void>;
}

const Table = ({ deliveries, open, resend }: TableProps) => (
  <table className="list">
    <TableHead columns={[words.event, words.status, words.result, words.created]} actions={words.resend} />
    <tbody>
      {deliveries.map((delivery) => (
        <tr key={delivery.id} data-delivery={delivery.state}>
          <td>
            <button
              type="button"
              className="link"
              aria-label={`${delivery.eventType}. ${words.details(delivery.id)}`}
              onClick={() => open(delivery)}
            >
              {delivery.eventType}
            </button>
          </td>
          <td>
            <Badge tone={tones[delivery.state]}>{words.state[delivery.state]}</Badge>
          </td>
          <td className="dim">
            {resultOf(delivery)}
            {delivery.nextAttemptAt !== null && `, ${words.next(fullTime(delivery.nextAttemptAt))}`}
          </td>
          <td>
            <time dateTime={delivery.createdAt} title={fullTime(delivery.createdAt)}>
              {shortTime(delivery.createdAt)}
            </time>
          </td>
          <td>
            <Action className="quiet small" done={words.resent} act={() => resend(delivery)}>
              {words.resend}
            </Action>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

type Filter = 'all' | DeliveryState;

const filters: readonly (readonly [Filter, string])[] = [
  ['all', words.all],
  ['pending', words.state.pending],
  ['delivered', words.state.delivered],
  ['failed', words.state.failed],
];

const useDeliveries = (device: Device, filter: Filter) => {
  const { client, generation } = useAccount();
  const path = `/v1/devices/${device.id}/deliveries?limit=50${filter === 'all' ? '' : `&state=${filter}`}`;
  const page = useLoad(() => client.get<Page>(path), `${device.id}:${filter}:${generation}`);
  const more = async (): Promise<void> => {
    const cursor = page.value?.nextCursor ?? '';
    const next = await client.get<Page>(`${path}&cursor=${encodeURIComponent(cursor)}`);
    page.change((old) =>
      old.nextCursor === cursor ? { ...next, deliveries: [...old.deliveries, ...next.deliveries] } : old,
    );
  };
  const resend = async (delivery: Delivery): Promise<void> => {
    await client.post(`/v1/devices/${device.id}/deliveries/${delivery.id}/retry`);
    page.reload();
  };
  return { page, more, resend };
};

export const Deliveries = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [filter, setFilter] = useState<Filter>('all');
  const [news, setNews] = useState(0);
  const [open, setOpen] = useState<Delivery | null>(null);
  const { page, more, resend } = useDeliveries(device, filter);
  useEvents(device.id, () => setNews((n) => n + 1));
  const refresh = (): void => {
    setNews(0);
    page.reload();
  };
  const resendFailed = async (): Promise<void> => {
    const { retried } = await client.post<{ retried: number }>(`/v1/devices/${device.id}/deliveries/retry`, {});
    notify.good(words.resentCount(retried));
    page.reload();
  };
  return (
    <section className="card" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">{words.title}</h2>
      <div className="row between">
        <Choice label={words.filter} value={filter} options={filters} choose={setFilter} />
        <div className="row">
          <Action className="quiet" act={resendFailed}>
            {words.resendFailed}
          </Action>
          <button type="button" className={news > 0 ? 'primary' : 'quiet'} onClick={refresh}>
            {words.refresh}
            {news > 0 && ` (${news})`}
          </button>
        </div>
      </div>
      <Await of={page}>
        {({ deliveries, nextCursor }) =>
          deliveries.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneHint}</p>
            </Empty>
          ) : (
            <>
              <Table deliveries={deliveries} open={setOpen} resend={resend} />
              {nextCursor !== null && (
                <Action className="quiet" act={more}>
                  {texts.more}
                </Action>
              )}
            </>
          )
        }
      </Await>
      {open !== null && <Details device={device} delivery={open} resend={resend} close={() => setOpen(null)} />}
    </section>
  );
};
