/** The deliveries of a webhook, their results, and buttons to resend them. */
import { type ReactNode, useMemo, useState } from 'react';
import { May } from '../../account/account.tsx';
import type { Delivery, HandsetEvent } from '../../api/types.ts';
import { exactTime, fullTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { Action, Await, Badge, Choice, Empty, TableHead } from '../../ui/parts.tsx';
import { linesOf } from '../message/event-line.ts';
import { Details } from './details.tsx';
import { answerText, behindText, standingOf } from './standing.ts';
import { type Filter, type Troubles, useDeliveries } from './use-deliveries.ts';

const words = texts.deliveries;

const resultOf = ({ lastStatus, lastError, attempts, lastDurationMs, late }: Delivery): string =>
  [
    answerText(lastStatus, lastError),
    lastDurationMs === null ? '' : `${lastDurationMs} ms`,
    attempts === 1 ? '' : words.attempts(attempts),
    late ? words.late : '',
  ]
    .filter(Boolean)
    .join(' · ');

interface TableProps {
  /** Shows the device of each delivery. */
  readonly isWide: boolean;
  readonly deliveries: readonly Delivery[];
  readonly events: ReadonlyMap<string, HandsetEvent>;
  readonly open: (delivery: Delivery) => void;
  readonly resend: (delivery: Delivery) => Promise<void>;
}

interface RowProps extends TableProps {
  readonly delivery: Delivery;
  /** Null until the event is loaded. */
  readonly line: string | null;
}

const Row = ({ isWide, delivery, line, deliveries, events, open, resend }: RowProps) => {
  const standing = standingOf(delivery, deliveries, events);
  const { tone, text, behind } = standing;
  return (
    <tr data-delivery={delivery.state}>
      <td>
        <button
          type="button"
          className="link"
          aria-label={`${delivery.eventType}. ${words.details(delivery.id)}`}
          onClick={() => open(delivery)}
        >
          {delivery.eventType}
        </button>
        <span className="under event-line">{line}</span>
      </td>
      {isWide && <td>{delivery.deviceId}</td>}
      <td className="delivery-state">
        <Badge tone={tone}>{text}</Badge>
      </td>
      <td className="dim">
        {behindText(standing) ?? resultOf(delivery)}
        {delivery.nextAttemptAt !== null &&
          delivery.attempts > 0 &&
          `, ${words.next(fullTime(delivery.nextAttemptAt))}`}
      </td>
      <td>
        <time dateTime={delivery.createdAt} title={fullTime(delivery.createdAt)}>
          {exactTime(delivery.createdAt)}
        </time>
      </td>
      <td className="delivery-again">
        {behind === null && (
          <May act="manage">
            <Action className="quiet small" act={() => resend(delivery)}>
              {words.resend}
            </Action>
          </May>
        )}
      </td>
    </tr>
  );
};

const Table = (props: TableProps) => {
  const { events } = props;
  const lineOf = useMemo(() => linesOf(events.values()), [events]);
  const line = ({ eventId }: Delivery): string | null => {
    const event = events.get(eventId);
    return event === undefined ? null : lineOf(event);
  };
  return (
    <div className="delivery-list">
      <table className="list delivery-table">
        <TableHead
          columns={[
            words.event,
            ...(props.isWide ? [texts.devices.device] : []),
            words.status,
            words.result,
            words.created,
          ]}
          actions={words.resend}
        />
        <tbody>
          {props.deliveries.map((delivery) => (
            <Row key={delivery.id} {...props} delivery={delivery} line={line(delivery)} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const filters = (): readonly (readonly [Filter, string])[] => [
  ['all', words.all],
  ['pending', words.state.pending],
  ['delivered', words.state.delivered],
  ['failed', words.state.failed],
];

/** The number of deliveries in trouble, and what to do. */
const TroubleLine = ({ troubles: { retrying, waiting, failed, more } }: { readonly troubles: Troubles }) =>
  retrying + failed > 0 && (
    <p className="trouble" role="status">
      <strong>{words.troubles(retrying, waiting, failed, more)}</strong> {words.troublesHint}
    </p>
  );

interface Props {
  /** The path above `/deliveries`. */
  readonly base: string;
  /** Null for all devices. */
  readonly device: number | null;
  /** Events since the list was loaded. */
  readonly news: number;
  readonly refreshed: () => void;
  /** How to get the first delivery, while there is none. */
  readonly next?: ReactNode;
}

export const DeliveryList = ({ base, device, news, refreshed, next }: Props) => {
  const [filter, setFilter] = useState<Filter>('all');
  const [open, setOpen] = useState<Delivery | null>(null);
  const { page, troubles, events, more, resend, resendAll, reload } = useDeliveries(base, filter);
  const refresh = (): void => {
    refreshed();
    reload();
  };
  const all = page.value?.deliveries ?? [];
  const opened = open && (all.find(({ id }) => id === open.id) ?? open);
  return (
    <>
      {troubles !== null && <TroubleLine troubles={troubles} />}
      <div className="row between">
        <Choice label={words.filter} value={filter} options={filters()} choose={setFilter} />
        <div className="row">
          <May act="manage">
            <Action className="quiet" act={resendAll}>
              {words.resendAll}
            </Action>
          </May>
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
              {next}
            </Empty>
          ) : (
            <>
              <Table isWide={device === null} deliveries={deliveries} events={events} open={setOpen} resend={resend} />
              {nextCursor !== null && (
                <Action className="quiet" act={more}>
                  {texts.more}
                </Action>
              )}
            </>
          )
        }
      </Await>
      {opened !== null && (
        <Details
          base={base}
          delivery={opened}
          standing={standingOf(opened, all, events)}
          resend={resend}
          close={() => setOpen(null)}
        />
      )}
    </>
  );
};
