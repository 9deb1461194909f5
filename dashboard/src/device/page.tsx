/** The page of a device: its status, its pairing and its tabs. */
import { type ReactNode, useEffect, useRef } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Device, Session } from '../api/types.ts';
import { phoneNumber } from '../format.ts';
import { type Loaded, useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';
import { Await, Empty } from '../ui/parts.tsx';
import { sessionText, StatusBadge } from '../ui/status.tsx';
import { Activity } from './activity.tsx';
import { Chat } from './chat.tsx';
import { Deliveries } from './deliveries.tsx';
import { Events } from './events.tsx';
import { PairAgain, Pairing } from './pairing.tsx';
import { PasskeyGate } from './passkey.tsx';
import { Settings } from './settings.tsx';
import { WebhookTab } from './webhook.tsx';

const words = texts.device;

const tabs = ['chat', 'webhook', 'deliveries', 'events', 'activity', 'settings'] as const;
type Tab = (typeof tabs)[number];

const Tabs = ({ id, current }: { readonly id: number; readonly current: Tab }) => {
  const list = useRef<HTMLElement>(null);
  // On a phone the tabs are wider than the screen.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [current]);
  return (
    <nav className="tabs" aria-label={words.tabs.label} ref={list}>
      {tabs.map((tab) => (
        <a key={tab} href={`#/devices/${id}/${tab}`} aria-current={tab === current ? 'page' : undefined}>
          {words.tabs[tab]}
        </a>
      ))}
    </nav>
  );
};

/** Reloads the session only when the connection or the pairing has changed. */
const useSession = (device: Device): Loaded<Session> => {
  const { client, generation } = useAccount();
  const session = useLoad(
    async () => (await client.get<{ session: Session }>(`/v1/devices/${device.id}/session`)).session,
    `${device.id}:${generation}:${device.subscription_status}`,
  );
  useEvents(device.id, (event) => {
    if (event.type.startsWith('connection.')) session.reload();
  });
  return session;
};

const StateLine = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const account =
    session?.phoneNumber == null
      ? null
      : `${session.name === null ? '' : `${session.name}, `}${phoneNumber(session.phoneNumber)}`;
  return (
    <p className="state-line" role="status">
      <StatusBadge device={device} />
      {account !== null && <span className="account">{account}</span>}
      {session !== null && <span>{sessionText(session)}</span>}
    </p>
  );
};

const contentOf = (tab: Tab, device: Device, session: Session | null): ReactNode => {
  switch (tab) {
    case 'chat':
      return <Chat device={device} session={session} />;
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
  useEffect(() => {
    document.title = `${device.name} · ${texts.product}`;
  }, [device.name]);
  return (
    <>
      <header className="page-head device-head">
        <div>
          <h1>{device.name}</h1>
          <StateLine device={device} session={session.value} />
        </div>
      </header>
      {device.status === 'qr' && <Linking device={device} session={session.value} />}
      {canPairAgain(device, session.value) && <PairAgain device={device} />}
      <Tabs id={device.id} current={tab} />
      {contentOf(tab, device, session.value)}
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
