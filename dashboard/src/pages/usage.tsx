/** The user's limits and their current usage. */
import { useSyncExternalStore } from 'react';
import { useAccount } from '../account/account.tsx';
import { fullTime } from '../base/format.ts';
import { useTick } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { ClientVersionWarnings, clientVersionFacts } from '../ui/client-version.tsx';
import { Await } from '../ui/parts.tsx';
import { LanguageSwitch } from '../ui/language.tsx';
import { MotionSwitch } from '../ui/motion.tsx';
import { ThemeSwitch } from '../ui/theme.tsx';

const words = texts.usage;

interface GaugeProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly note?: string | null;
}

const Gauge = ({ name, used, limit, note = null }: GaugeProps) => (
  <section className="card gauge" aria-label={name}>
    <h2>{name}</h2>
    <p className="gauge-number">{words.of(used, limit)}</p>
    <meter min={0} max={Math.max(limit, 1)} high={Math.max(limit, 1) * 0.9} value={used} aria-label={name} />
    <p className="hint">{words.left(Math.max(0, limit - used))}</p>
    {note !== null && <p className="hint">{note}</p>}
  </section>
);

/** Read from headers of earlier responses, because a request would count as well. */
const Requests = ({ limit }: { readonly limit: number }) => {
  const { client } = useAccount();
  const rate = useSyncExternalStore(client.onRate, () => client.rate);
  const now = useTick(1000);
  const used = rate === null ? 0 : rate.limit - rate.remaining;
  const seconds = rate === null ? 0 : Math.ceil((rate.resetsAt - now) / 1000);
  return (
    <Gauge
      name={words.requests}
      used={used}
      limit={rate?.limit ?? limit}
      note={used > 0 && seconds > 0 ? words.resets(seconds) : null}
    />
  );
};

export const Usage = () => {
  const { me } = useAccount();
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
      </header>
      <Await of={me}>
        {({ user, service }) => (
          <>
            <div className="gauges">
              <Gauge name={words.devices} used={user.activeDevices} limit={user.deviceLimit} />
              <Requests limit={user.rateLimit} />
            </div>
            <p className="hint">{words.liveHint}</p>
            {service.client !== null && <ClientVersionWarnings client={service.client} />}
            <dl className="facts card">
              <div>
                <dt>{words.user}</dt>
                <dd>{user.name}</dd>
              </div>
              <div>
                <dt>{words.created}</dt>
                <dd>{fullTime(user.createdAt)}</dd>
              </div>
              <div>
                <dt>{words.network}</dt>
                <dd>{words.networks[service.network]}</dd>
              </div>
              <div>
                <dt>{words.service}</dt>
                <dd>{service.version}</dd>
              </div>
              {service.client !== null && (
                <div>
                  <dt>{words.client}</dt>
                  <dd>{clientVersionFacts(service.client)}</dd>
                </div>
              )}
              <div className="only-narrow">
                <dt>{words.theme}</dt>
                <dd>
                  <ThemeSwitch />
                </dd>
              </div>
              <div className="only-narrow">
                <dt>{texts.language}</dt>
                <dd>
                  <LanguageSwitch />
                </dd>
              </div>
            </dl>
            <MotionSwitch />
          </>
        )}
      </Await>
    </>
  );
};
