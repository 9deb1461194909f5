/** The page of a device: its status, its pairing and its tabs. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAccount, useEvents, useMay } from '../account/account.tsx';
import { paths } from '../api/ahead.ts';
import type { Device, Session } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { nameAndNumber } from '../base/format.ts';
import { type Loaded, useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { Boundary } from '../ui/boundary.tsx';
import { Await, Empty } from '../ui/parts.tsx';
import { sessionText, StatusBadge, UnknownBadge } from '../ui/status.tsx';
import { Activity } from './activity.tsx';
import { Channels } from './channels.tsx';
import { Chat } from './chat.tsx';
import { Deliveries } from './deliveries/deliveries.tsx';
import { Events } from './events.tsx';
import { PairAgain, Pairing } from './pairing.tsx';
import { PasskeyGate } from './passkey.tsx';
import { Settings } from './settings.tsx';
import { Statuses } from './statuses.tsx';
import { WebhookTab } from './webhook.tsx';

const words = texts.device;

const tabs = ['chat', 'status', 'channels', 'webhook', 'deliveries', 'events', 'activity', 'settings'] as const;
type Tab = (typeof tabs)[number];

const managed: readonly Tab[] = ['webhook', 'settings'];

/** The tabs of a key that may do this. */
export const tabsFor = (may: ReturnType<typeof useMay>): readonly Tab[] =>
  tabs.filter((tab) => may(managed.includes(tab) ? 'manage' : 'read'));

const Tabs = ({ id, current }: { readonly id: number; readonly current: Tab }) => {
  const list = useRef<HTMLElement>(null);
  const may = useMay();
  // On a phone, the tabs are wider than the screen.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current]);
  return (
    <nav className="tabs" aria-label={words.tabs.label} ref={list}>
      {tabsFor(may).map((tab) => (
        <a key={tab} href={`#/devices/${id}/${tab}`} aria-current={tab === current ? 'page' : undefined}>
          {words.tabs[tab]}
        </a>
      ))}
    </nav>
  );
};

const maxNameTries = 5;

/** The phone sends the account's name after the connection is open, and no event reports it. */
const useAccountName = ({ value, reload }: Loaded<Session>): void => {
  const [tries, setTries] = useState(0);
  const isMissing = value?.state === 'open' && value.name === null;
  useEffect(() => {
    if (!isMissing || tries === maxNameTries) return undefined;
    const retry = (): void => {
      setTries(tries + 1);
      reload();
    };
    const timer = setTimeout(retry, 1000 * 2 ** tries);
    return () => clearTimeout(timer);
  }, [isMissing, tries, reload]);
};

/** Reloads the session when the connection or the pairing has changed, and while its account has no name yet. */
const useSession = (device: Device): Loaded<Session> => {
  const { client, generation } = useAccount();
  const session = useLoad(
    async () => (await client.get<Answer<'getSession'>>(paths.session(device.id))).session,
    `${device.id}:${generation}:${device.subscription_status}`,
  );
  useEvents(device.id, (event) => {
    if (event.type.startsWith('connection.')) session.reload();
  });
  useAccountName(session);
  return session;
};

const StateLine = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const { isAway } = useAccount();
  return (
    <p className="state-line" role="status">
      {isAway ? <UnknownBadge /> : <StatusBadge device={device} isNew={session?.lastSeenAt === null} />}
      {session?.phoneNumber != null && (
        <span className="account">{nameAndNumber(session.name, session.phoneNumber)}</span>
      )}
      {isAway ? <span>{texts.errors.unreachable}</span> : session !== null && <span>{sessionText(session)}</span>}
    </p>
  );
};

/** Without another part for this time, the phone is done. */
const quietMs = 20_000;

/** True once the device has been linked while the page is open, with a setting that loads messages. */
const useLinkedNow = (device: Device): boolean => {
  const { client } = useAccount();
  const before = useRef(device.status);
  const [isLinked, setLinked] = useState(false);
  useEffect(() => {
    if (before.current === 'qr' && device.status === 'connected') setLinked(true);
    before.current = device.status;
  }, [device.status]);
  const path = `/v1/devices/${device.id}/settings`;
  const settings = useLoad(
    () => client.get<Answer<'getSettings'>>(path),
    device.status === 'qr' || isLinked ? `${device.status} ${path}` : null,
  );
  return isLinked && settings.value !== null && settings.value.settings.history !== 'none';
};

/** Messages that the phone sends after a pairing, which can take minutes. */
const PairingHistory = ({ device }: { readonly device: Device }) => {
  const isLinked = useLinkedNow(device);
  const history = useAccount().histories.get(device.id) ?? null;
  const [openedAt] = useState(Date.now);
  const [isQuiet, setQuiet] = useState(false);
  useEffect(() => {
    setQuiet(false);
    const left = history === null ? 6 * quietMs : history.at + quietMs - Date.now();
    const timer = setTimeout(() => setQuiet(true), left);
    return () => clearTimeout(timer);
  }, [isLinked, history]);
  const isOver = history === null ? !isLinked || isQuiet : history.at + quietMs < openedAt;
  if (isOver) return null;
  const loading = history === null ? words.historyBegins : words.historyLoading(history.messages);
  return (
    <p className="state-line" role="status">
      {isQuiet && history !== null ? words.historyLoaded(history.messages) : loading}
      {!isQuiet && <progress aria-label={loading} />}
    </p>
  );
};

const contentOf = (tab: Tab, device: Device, session: Session | null): ReactNode => {
  switch (tab) {
    case 'chat':
      return <Chat device={device} session={session} />;
    case 'status':
      return <Statuses device={device} />;
    case 'channels':
      return <Channels device={device} />;
    case 'webhook':
      return <WebhookTab device={device} />;
    case 'deliveries':
      return <Deliveries device={device} />;
    case 'events':
      return <Events device={device} />;
    case 'activity':
      return <Activity device={device} />;
    case 'settings':
      return <Settings device={device} session={session} />;
  }
};

/** The QR code or pairing code, or the passkey step that follows it. */
const Linking = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const { pairings } = useAccount();
  const gated = pairings.get(device.id)?.passkey ?? session?.state === 'passkey_required';
  return gated ? <PasskeyGate device={device} /> : <Pairing device={device} session={session} />;
};

const canPairAgain = (device: Device, session: Session | null): boolean =>
  device.status === 'timeout' &&
  device.subscription_status === 'active' &&
  session !== null &&
  session.phoneNumber === null &&
  session.state === 'closed';

const OneDevice = ({ device, tab }: { readonly device: Device; readonly tab: Tab }) => {
  const session = useSession(device);
  const may = useMay();
  useEffect(() => {
    document.title = `${device.name} · ${texts.product}`;
  }, [device.name]);
  return (
    <>
      <header className="page-head device-head">
        <div>
          <h1 className="one-line" title={device.name}>
            {device.name}
          </h1>
          <StateLine device={device} session={session.value} />
          <PairingHistory device={device} />
        </div>
      </header>
      {device.status === 'qr' && <Linking device={device} session={session.value} />}
      {canPairAgain(device, session.value) && may('manage') && <PairAgain device={device} />}
      <Tabs id={device.id} current={tab} />
      {/* A page that fails to render must not hide the others. */}
      <Boundary
        key={tab}
        instead={(again) => (
          <Empty title={words.broken}>
            <button type="button" onClick={again}>
              {texts.retry}
            </button>
          </Empty>
        )}
      >
        {contentOf(tab, device, session.value)}
      </Boundary>
    </>
  );
};

export const DevicePage = ({ id, tab }: { readonly id: number; readonly tab: string }) => {
  const { devices } = useAccount();
  const current = tabs.find((known) => known === tab) ?? 'chat';
  return (
    <Await of={devices}>
      {(all) => {
        const device = all.find((one) => one.id === id);
        return device === undefined ? (
          <Empty title={words.missing}>
            <a className="button" href="#/devices">
              {texts.devices.title}
            </a>
          </Empty>
        ) : (
          <OneDevice device={device} tab={current} />
        );
      }}
    </Await>
  );
};
