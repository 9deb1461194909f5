/** One delivery: its event as it was posted, and all attempts with the responses. */
import { May, useAccount } from '../../account/account.tsx';
import { ApiError, type Client } from '../../api/client.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Attempt, Delivery, HandsetEvent } from '../../api/types.ts';
import { fullTime } from '../../base/format.ts';
import { useLoad } from '../../api/hooks.ts';
import { locale, texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Action, Await, Badge, CopyButton } from '../../ui/parts.tsx';
import { answerText, behindText, type Standing } from './standing.ts';

const words = texts.deliveries;

/** Null if it is no longer in the log. */
const eventOf = async (client: Client, { deviceId, eventId }: Delivery): Promise<HandsetEvent | null> => {
  try {
    return (await client.get<Answer<'getEvent'>>(`/v1/devices/${deviceId}/events/${eventId}`)).event;
  } catch (error) {
    if (error instanceof ApiError && error.code === 404) return null;
    throw error;
  }
};

const Payload = ({ delivery }: { readonly delivery: Delivery }) => {
  const { client } = useAccount();
  const event = useLoad(async () => ({ event: await eventOf(client, delivery) }), delivery.eventId);
  const found = event.value?.event ?? null;
  const payload = JSON.stringify(found, null, 2);
  return (
    <>
      <div className="row between">
        <h3>{words.payload}</h3>
        {found !== null && <CopyButton text={payload} />}
      </div>
      <Await of={event}>
        {() =>
          found === null ? (
            <p className="hint">{words.gone}</p>
          ) : (
            <pre tabIndex={0} aria-label={words.payload}>
              {payload}
            </pre>
          )
        }
      </Await>
    </>
  );
};

const wordsOf = ({ status, error, ms }: Attempt): string =>
  [answerText(status, error) || words.noAnswer, ms === null ? '' : `${ms.toLocaleString(locale)} ms`]
    .filter(Boolean)
    .join(' · ');

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const Attempts = ({ path }: { readonly path: string }) => {
  const { client } = useAccount();
  const attempts = useLoad(
    async () => (await client.get<Answer<'listAttempts'>>(`${path}/attempts?limit=100`)).attempts,
    path,
  );
  return (
    <section className="stack" aria-label={words.allAttempts}>
      <h3>{words.allAttempts}</h3>
      <Await of={attempts}>
        {(all) =>
          all.length === 0 ? (
            <p className="hint">{words.noAttempts}</p>
          ) : (
            <ol className="event-list">
              {all.map((attempt, index) => (
                <li key={attempt.at}>
                  <details open={index === 0}>
                    <summary>
                      {wordsOf(attempt)}
                      <time dateTime={attempt.at}>{fullTime(attempt.at)}</time>
                    </summary>
                    {attempt.headers !== null && (
                      <pre tabIndex={0} aria-label={words.headers}>
                        {headerLines(attempt.headers)}
                      </pre>
                    )}
                    {attempt.answer ? (
                      <pre tabIndex={0} aria-label={words.response}>
                        {attempt.answer}
                      </pre>
                    ) : (
                      <p className="hint">{words.emptyAnswer}</p>
                    )}
                  </details>
                </li>
              ))}
            </ol>
          )
        }
      </Await>
    </section>
  );
};

interface Props {
  /** The path above `/deliveries`. */
  readonly base: string;
  readonly delivery: Delivery;
  readonly standing: Standing;
  readonly resend: (delivery: Delivery) => Promise<void>;
  readonly close: () => void;
}

export const Details = ({ base, delivery, standing, resend, close }: Props) => (
  <Dialog title={delivery.eventType} close={close}>
    <p className="row">
      <Badge tone={standing.tone}>{standing.text}</Badge>
      <span>{words.attempts(delivery.attempts)}</span>
    </p>
    {standing.behind !== null && (
      <p className="hint">
        {behindText(standing)}. {words.behindHint}
      </p>
    )}
    {delivery.late && <p className="hint">{words.late}</p>}
    <Attempts key={delivery.attempts} path={`${base}/deliveries/${delivery.id}`} />
    <Payload delivery={delivery} />
    <div className="row end">
      <May act="manage">
        <Action className="primary" act={() => resend(delivery)}>
          {words.resend}
        </Action>
      </May>
    </div>
  </Dialog>
);
