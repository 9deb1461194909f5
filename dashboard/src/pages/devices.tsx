/** The list of the user's devices with their accounts and their current status. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, DeviceStatus } from '../api/types.ts';
import { useLinkedAccounts } from '../account/linked-accounts.ts';
import { texts } from '../base/texts.ts';
import { Pager, usePages } from '../ui/pager.tsx';
import { Await, Choice, Empty } from '../ui/parts.tsx';
import { DeviceTable, type ListedDevice } from './device-table.tsx';
import { plainNumber } from '../base/typed-number.ts';

const words = texts.devices;

const statuses = () =>
  [
    ['all', words.all],
    ['connected', texts.status.connected],
    ['qr', texts.status.qr],
    ['timeout', texts.status.timeout],
  ] as const;

/** The number of devices from which a search is shown. */
const searchFrom = 8;

/** Digits as people write them, with a plus, spaces or hyphens; null for a text. */
const digitsIn = (text: string): string | null => {
  const digits = plainNumber(text);
  return /^\d+$/.test(digits) ? digits : null;
};

/** A search looks at the name of the device and of the account, at the number and at the ID. */
const matches = ({ device, account }: ListedDevice, text: string): boolean => {
  const digits = digitsIn(text);
  return (
    [device.name, account?.name].some((name) => name?.toLowerCase().includes(text)) ||
    (digits !== null && (String(device.id) === digits || account?.phoneNumber.includes(digits) === true))
  );
};

const DeviceList = ({ devices }: { readonly devices: readonly Device[] }) => {
  const accounts = useLinkedAccounts();
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
            <DeviceTable rows={pages.shown} />
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
  <a className="button primary" href="#/devices/new">
    {words.create}
  </a>
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
