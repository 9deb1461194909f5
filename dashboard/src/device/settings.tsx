/** The settings of a device: name, connection, restart, deactivation, disconnection and deletion. */
import { type ReactNode, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, Session } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { fullTime, phoneNumber } from '../base/format.ts';
import { go } from '../base/route.ts';
import { texts } from '../base/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { useForm } from '../ui/form.ts';
import { Action, Field } from '../ui/parts.tsx';
import { sessionText } from '../ui/status.tsx';
import { useNotify } from '../ui/notices.tsx';
import { FeedsCard, KeptCard } from './kept.tsx';
import { LimitsCard, useLimits } from './limits.tsx';
import { PresenceCard } from './presence.tsx';
import { ProxyCard } from './proxy.tsx';
import { useSettings } from './use-settings.ts';

const words = texts.device;

const useUpdate = (device: Device) => {
  const { client, devices, me } = useAccount();
  return async (patch: Partial<Device>): Promise<void> => {
    const changed = await client.put<Answer<'updateDevice'>>(`/v1/devices/${device.id}`, patch);
    devices.change((all) => all.map((one) => (one.id === device.id ? changed.device : one)));
    me.reload();
  };
};

const Rename = ({ device }: { readonly device: Device }) => {
  const [name, setName] = useState(device.name);
  const update = useUpdate(device);
  const notify = useNotify();
  const { error, errorOf, submit } = useForm(['name'], async () => {
    await update({ name: name.trim() });
    notify.good(words.saved);
  });
  return (
    <form className="row align-end" onSubmit={submit}>
      <Field
        label={words.name}
        value={name}
        maxLength={100}
        error={errorOf('name') ?? error}
        onChange={(change) => setName(change.target.value)}
      />
      <button type="submit">{texts.save}</button>
    </form>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** Spelled as their makers do. */
const platforms: Readonly<Record<string, string>> = {
  android: 'Android',
  iphone: 'iPhone',
  smba: 'Android',
  smbi: 'iPhone',
};

const Facts = ({ session, isAway }: { readonly session: Session; readonly isAway: boolean }) => (
  <dl className="facts">
    <Fact name={words.state}>{isAway ? words.unknown : sessionText(session)}</Fact>
    <Fact name={words.account}>
      {session.phoneNumber === null ? words.noAccount : phoneNumber(session.phoneNumber)}
    </Fact>
    <Fact name={words.platform}>
      {session.platform === null ? '–' : (platforms[session.platform] ?? session.platform)}
    </Fact>
    <Fact name={words.lastSeen}>{session.lastSeenAt === null ? words.never : fullTime(session.lastSeenAt)}</Fact>
    <Fact name={words.reconnects}>{session.reconnects}</Fact>
  </dl>
);

const SessionCard = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const { client, isAway } = useAccount();
  const update = useUpdate(device);
  const isActive = device.subscription_status === 'active';
  return (
    <section className="card stack" aria-labelledby="session-title">
      <h2 id="session-title">{words.general}</h2>
      {session !== null && <Facts session={session} isAway={isAway} />}
      <Rename device={device} />
      <p className="hint">{words.activeHint}</p>
      <div className="row">
        <Action
          act={() => client.post(`/v1/devices/${device.id}/restart`, {})}
          done={words.restarted}
          disabled={!isActive}
        >
          {words.restart}
        </Action>
        <Action act={() => update({ subscription_status: isActive ? 'inactive' : 'active' })} done={words.saved}>
          {isActive ? words.deactivate : words.activate}
        </Action>
      </div>
    </section>
  );
};

const Danger = ({ device }: { readonly device: Device }) => {
  const { client, devices, me } = useAccount();
  const [asking, setAsking] = useState<'disconnect' | 'remove' | null>(null);
  const close = (): void => setAsking(null);
  const remove = async (): Promise<void> => {
    await client.delete(`/v1/devices/${device.id}`);
    devices.change((all) => all.filter(({ id }) => id !== device.id));
    me.reload();
    go('/devices');
  };
  return (
    <section className="card danger-zone" aria-labelledby="danger-title">
      <h2 id="danger-title">{words.danger}</h2>
      <div className="row">
        <button
          type="button"
          className="danger quiet"
          disabled={device.status !== 'connected'}
          onClick={() => setAsking('disconnect')}
        >
          {words.disconnect}
        </button>
        <button type="button" className="danger" onClick={() => setAsking('remove')}>
          {words.remove}
        </button>
      </div>
      {asking === 'disconnect' && (
        <ConfirmDialog
          title={words.disconnectTitle}
          text={words.disconnectText}
          action={words.disconnect}
          done={words.disconnected}
          act={() => client.post(`/v1/devices/${device.id}/disconnect`)}
          close={close}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle(device.name)}
          text={words.removeText}
          action={words.remove}
          name={device.name}
          done={words.removed}
          act={remove}
          close={close}
        />
      )}
    </section>
  );
};

export const Settings = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const settings = useSettings(device);
  const limits = useLimits(device, settings);
  const isComplete = limits.value !== null || limits.error !== null || settings.loaded.error !== null;
  return (
    <div className="stack">
      <SessionCard device={device} session={session} />
      <PresenceCard settings={settings} />
      <KeptCard settings={settings} />
      <FeedsCard settings={settings} />
      <ProxyCard settings={settings} />
      <LimitsCard limits={limits} settings={settings} />
      {/* Not before: what loads above would move its buttons under the pointer. */}
      {isComplete && <Danger device={device} />}
    </div>
  );
};
