/** The events of a device: the newest at once, then live, and older ones on demand. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account/account.tsx';
import { type Device, type HandsetEvent, loggedKinds } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { exactTime, fullTime } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { Action, Await, Empty } from '../ui/parts.tsx';
import { linesOf } from './message/event-line.ts';

const words = texts.events;
const pageSize = 50;

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

const Row = ({ event, line }: { readonly event: HandsetEvent; readonly line: string | null }) => (
  <li>
    <details>
      <summary>
        <span className="kind-mark" data-kind={event.type.split('.')[0]} aria-hidden="true" />
        <span className="event-type">{event.type}</span>
        <span className="event-line">{line}</span>
        <time dateTime={event.timestamp} title={fullTime(event.timestamp)}>
          {exactTime(event.timestamp)}
        </time>
      </summary>
      <pre tabIndex={0} aria-label={event.type}>
        {jsonOf(event)}
      </pre>
    </details>
  </li>
);

type Page = Answer<'listEvents'>;

/** The log from its end: the newest at once, new ones as they happen, older ones on demand. */
const useLog = (device: Device, kind: string) => {
  const { client, generation } = useAccount();
  const kinds = kind === '' ? loggedKinds : [kind];
  const path = `/v1/devices/${device.id}/events?order=newest&limit=${pageSize}&types=${kinds.join()}`;
  const log = useLoad(() => client.get<Page>(path), generation === 0 ? null : `${generation} ${path}`);
  useEvents(device.id, (event) => {
    if (!kinds.some((one) => one === event.type)) return;
    log.change(({ events, nextCursor }) => ({
      events: events.some(({ id }) => id === event.id) ? events : [event, ...events],
      nextCursor,
    }));
  });
  const older = async (): Promise<void> => {
    const cursor = log.value?.nextCursor;
    if (cursor == null) return;
    const next = await client.get<Page>(`${path}&before=${cursor}`);
    log.change((old) => (old.nextCursor === cursor ? { ...next, events: [...old.events, ...next.events] } : old));
  };
  return { log, older };
};

const Log = ({ device, kind }: { readonly device: Device; readonly kind: string }) => {
  const [paused, setPaused] = useState<string | null>(null);
  const { log, older } = useLog(device, kind);
  return (
    <Await of={log}>
      {({ events, nextCursor }) => {
        // Hides later events until the reader resumes.
        const first = Math.max(0, paused === null ? 0 : events.findIndex(({ id }) => id === paused));
        const shown = events.slice(first);
        const lineOf = linesOf(events);
        return (
          <>
            <div className="row between">
              <p className="hint">{words.live}</p>
              <button
                type="button"
                className="quiet"
                aria-pressed={paused !== null}
                disabled={events.length === 0}
                onClick={() => setPaused(paused === null ? (events[0]?.id ?? null) : null)}
              >
                {paused === null ? words.pause : words.resume(first)}
              </button>
            </div>
            {shown.length === 0 && (
              <Empty title={words.none}>
                <p>{words.noneHint}</p>
              </Empty>
            )}
            <ol className="event-list">
              {shown.map((event) => (
                <Row key={event.id} event={event} line={lineOf(event)} />
              ))}
            </ol>
            {nextCursor !== null && (
              <Action className="quiet" act={older}>
                {words.older}
              </Action>
            )}
            {nextCursor === null && shown.length > 0 && <p className="hint">{words.end}</p>}
          </>
        );
      }}
    </Await>
  );
};

export const Events = ({ device }: { readonly device: Device }) => {
  const [kind, setKind] = useState('');
  return (
    <section className="card" aria-labelledby="events-title">
      <div className="row between">
        <h2 id="events-title">{words.title}</h2>
        <label className="inline">
          <span>{words.filter}</span>
          <select value={kind} onChange={(change) => setKind(change.target.value)}>
            <option value="">{words.all}</option>
            {loggedKinds.map((one) => (
              <option key={one} title={texts.kinds[one]}>
                {one}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Log key={kind} device={device} kind={kind} />
    </section>
  );
};
