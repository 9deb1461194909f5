/** The list of the user's devices with their accounts and their current status. */
import { useLoad } from '../api/hooks.ts';
import type { Answer } from '../api/schemas.ts';
import type { Device, LinkedAccount, DeviceStatus } from '../api/types.ts';
import { dateOf, phoneNumber } from '../base/format.ts';
import { locale, texts } from '../base/texts.ts';
import { TableHead, Await, Choice, Empty } from '../ui/parts.tsx';
import { StatusBadge, UnknownBadge } from '../ui/status.tsx';
import { useState } from 'react';
import { May, useAccount, useAccounts } from '../account/account.tsx';
import { plainNumber } from '../base/typed-number.ts';

interface ListedDevice {
  readonly device: Device;
  readonly account: LinkedAccount | undefined;
}

const Account = ({ account }: Pick<ListedDevice, 'account'>) => {
  if (account === undefined) return <span className="dim">{texts.devices.notLinked}</span>;
  const number = phoneNumber(account.phoneNumber);
  return (
    <>
      <span className="one-line" title={account.name ?? number}>
        {account.name ?? number}
      </span>
      {account.name !== null && <span className="under one-line">{number}</span>}
    </>
  );
};

/** A device without an account was never linked, or has lost its link: its session knows. */
const UnlinkedBadge = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/session`;
  const session = useLoad(() => client.get<Answer<'getSession'>>(path), path);
  return <StatusBadge device={device} isNew={session.value === null || session.value.session.lastSeenAt === null} />;
};

const Status = ({ device, account, isAway }: ListedDevice & { readonly isAway: boolean }) => {
  if (isAway) return <UnknownBadge />;
  const isUnlinked = device.status === 'timeout' && device.subscription_status === 'active' && account === undefined;
  return isUnlinked ? <UnlinkedBadge device={device} /> : <StatusBadge device={device} />;
};

const Row = ({ device, account, isAway }: ListedDevice & { readonly isAway: boolean }) => (
  <tr>
    <th scope="row">
      <a className="row-link one-line" href={`#/devices/${device.id}`} title={device.name}>
        {device.name}
      </a>
      <span className="under one-line">{texts.devices.id(device.id)}</span>
    </th>
    <td>
      <Account account={account} />
    </td>
    <td>
      <Status {...{ device, account, isAway }} />
    </td>
    <td data-label={texts.devices.sentColumn}>{device.messagesSent.toLocaleString(locale)}</td>
    <td data-label={texts.devices.webhookColumn}>
      {device.webhookUrl === null ? texts.devices.off : texts.devices.on}
    </td>
    <td data-label={texts.devices.created}>{dateOf(device.createdAt)}</td>
  </tr>
);

const DeviceTable = ({ rows, isAway }: { readonly rows: readonly ListedDevice[]; readonly isAway: boolean }) => (
  <table className="list device-table">
    <TableHead
      columns={[
        texts.devices.device,
        texts.devices.account,
        texts.devices.filter,
        texts.devices.sentColumn,
        texts.devices.webhookColumn,
        texts.devices.created,
      ]}
    />
    <tbody>
      {rows.map((row) => (
        <Row key={row.device.id} {...row} isAway={isAway} />
      ))}
    </tbody>
  </table>
);

const pageSize = 25;

interface Pages<T> {
  readonly shown: readonly T[];
  readonly first: number;
  readonly all: number;
  readonly show: (first: number) => void;
}

/** `key` identifies the list; a new one starts at the first page. */
const usePages = <T,>(items: readonly T[], key: string): Pages<T> => {
  const [at, setAt] = useState({ key, first: 0 });
  const wanted = at.key === key ? at.first : 0;
  const first = wanted < items.length ? wanted : 0;
  const show = (next: number): void => setAt({ key, first: next });
  return { shown: items.slice(first, first + pageSize), first, all: items.length, show };
};

const Pager = <T,>({ pages: { first, all, shown, show } }: { readonly pages: Pages<T> }) => {
  if (all <= pageSize) return null;
  const last = first + shown.length;
  return (
    <nav className="row between pager" aria-label={texts.pages.label}>
      <p className="hint" role="status">
        {texts.pages.shown(first + 1, last, all)}
      </p>
      <div className="row">
        <button type="button" className="small" disabled={first === 0} onClick={() => show(first - pageSize)}>
          {texts.pages.previous}
        </button>
        <button type="button" className="small" disabled={last === all} onClick={() => show(last)}>
          {texts.pages.next}
        </button>
      </div>
    </nav>
  );
};

const words = texts.devices;

const statuses = () =>
  [
    ['all', words.all],
    ['connected', texts.status.connected],
    ['qr', texts.status.qr],
    ['timeout', texts.status.timeout],
  ] as const;

/** From this number of devices on, a search is shown. */
const searchFrom = 8;

/** The digits of a number with a plus, spaces or hyphens; null for other text. */
const digitsIn = (text: string): string | null => {
  const digits = plainNumber(text);
  return /^\d+$/.test(digits) ? digits : null;
};

/** Searches the names of device and account, the number and the ID. */
const matches = ({ device, account }: ListedDevice, text: string): boolean => {
  const digits = digitsIn(text);
  return (
    [device.name, account?.name].some((name) => name?.toLowerCase().includes(text)) ||
    (digits !== null && (String(device.id) === digits || account?.phoneNumber.includes(digits) === true))
  );
};

const DeviceList = ({ devices }: { readonly devices: readonly Device[] }) => {
  const { isAway } = useAccount();
  const accounts = useAccounts();
  const [wanted, setWanted] = useState('');
  const [status, setStatus] = useState<DeviceStatus | 'all'>('all');
  const text = wanted.trim().toLowerCase();
  const found = devices
    .filter((device) => status === 'all' || device.status === status)
    .map((device) => ({ device, account: accounts.get(device.id) }))
    .filter((row) => text === '' || matches(row, text));
  const clear = (): void => {
    setWanted('');
    setStatus('all');
  };
  const pages = usePages(found, `${status} ${text}`);
  const connected = devices.filter((device) => device.status === 'connected').length;
  return (
    <>
      <p className="lead">{words.summary(connected, devices.length)}</p>
      <section className="card" aria-label={words.title}>
        {devices.length >= searchFrom && (
          <div className="row between">
            <input
              type="search"
              className="search"
              aria-label={words.search}
              placeholder={words.search}
              value={wanted}
              onChange={(change) => setWanted(change.target.value)}
            />
            <Choice label={words.filter} value={status} options={statuses()} choose={setStatus} />
          </div>
        )}
        {found.length > 0 ? (
          <div className="device-list">
            <DeviceTable rows={pages.shown} isAway={isAway} />
          </div>
        ) : (
          <Empty title={words.noMatch}>
            <button type="button" onClick={clear}>
              {words.clear}
            </button>
          </Empty>
        )}
        <Pager pages={pages} />
      </section>
    </>
  );
};

const Create = () => (
  <May act="create">
    <a className="button primary" href="#/devices/new">
      {words.create}
    </a>
  </May>
);

export const Devices = () => {
  const { devices } = useAccount();
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
        {devices.value?.length !== 0 && <Create />}
      </header>
      <Await of={devices}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneHint}</p>
              <Create />
            </Empty>
          ) : (
            <DeviceList devices={all} />
          )
        }
      </Await>
    </>
  );
};
