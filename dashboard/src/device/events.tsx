/** The live events of a device, and its event log from the start. */
import { useState } from 'react';
import { useAccount } from '../account.tsx';
import { type Device, eventKinds, type HandsetEvent } from '../api/types.ts';
import { fullTime, shortTime } from '../format.ts';
import { texts } from '../texts.ts';
import { Action, Empty } from '../ui/parts.tsx';

const words = texts.events;

/** The event as JSON. QR code images are shortened to their length. */
const jsonOf = (event: HandsetEvent): string =>
  JSON.stringify(
    event,
    (_name, value: unknown) =>
      typeof value === 'string' && value.startsWith('data:image/')
        ? `data:image/… (${value.length} characters)`
        : value,
    2,
  );

const Row = ({ event }: { readonly event: HandsetEvent }) => (
  <li>
    <details>
      <summary>
        <span className={`kind-mark ${event.type.split('.')[0]}`} aria-hidden="true" />
        <span className="event-type">{event.type}</span>
        <time dateTime={event.timestamp} title={fullTime(event.timestamp)}>
          {shortTime(event.timestamp)}
        </time>
      </summary>
      <pre tabIndex={0} aria-label={event.type}>
        {jsonOf(event)}
      </pre>
    </details>
  </li>
);

interface Log {
  readonly events: readonly HandsetEvent[];
  readonly isAll: boolean;
}

const pageSize = 100;

const useLog = (device: Device) => {
  const { client } = useAccount();
  const [log, setLog] = useState<Log | null>(null);
  const read = async (): Promise<void> => {
    const last = log?.events.at(-1)?.id;
    const after = last === undefined ? '' : `&after=${last}`;
    const page = await client.get<{ events: readonly HandsetEvent[]; nextCursor: string | null }>(
      `/v1/devices/${device.id}/events?limit=${pageSize}${after}`,
    );
    setLog({ events: [...(log?.events ?? []), ...page.events], isAll: page.nextCursor === null });
  };
  return { log, read };
};

export const Events = ({ device }: { readonly device: Device }) => {
  const { recent } = useAccount();
  const [kind, setKind] = useState('');
  const [paused, setPaused] = useState<readonly HandsetEvent[] | null>(null);
  const { log, read } = useLog(device);
  const fits = (event: HandsetEvent): boolean => event.deviceId === device.id && (kind === '' || event.type === kind);
  const shown = (paused ?? recent).filter(fits);
  return (
    <section className="card" aria-labelledby="events-title">
      <h2 id="events-title">{words.title}</h2>
      <p className="hint">{words.live}</p>
      <div className="row between">
        <label className="inline">
          <span>{words.filter}</span>
          <select value={kind} onChange={(change) => setKind(change.target.value)}>
            <option value="">{words.all}</option>
            {eventKinds.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="quiet"
          aria-pressed={paused !== null}
          onClick={() => setPaused(paused === null ? recent : null)}
        >
          {paused === null ? words.pause : words.resume}
        </button>
      </div>
      {shown.length === 0 && log === null && (
        <Empty title={words.none}>
          <p>{words.noneHint}</p>
        </Empty>
      )}
      {shown.length === 0 && log !== null && <p className="hint">{words.noneHint}</p>}
      <ol className="event-list">
        {shown.map((event) => (
          <Row key={event.id} event={event} />
        ))}
      </ol>
      <hr />
      {log !== null && <h3>{words.log}</h3>}
      <ol className="event-list">
        {log?.events.filter(fits).map((event) => (
          <Row key={event.id} event={event} />
        ))}
      </ol>
      {log?.isAll === true ? (
        <p className="hint">{words.end}</p>
      ) : (
        <Action className="quiet" act={read}>
          {log === null ? words.load : words.next}
        </Action>
      )}
    </section>
  );
};
