/** The list of the user's devices with their current status. */
import { useState } from 'react';
import { useAccount } from '../account.tsx';
import type { Device, DeviceStatus } from '../api/types.ts';
import { texts } from '../texts.ts';
import { Await, Choice, Empty, Field } from '../ui/parts.tsx';
import { StatusBadge } from '../ui/status.tsx';

const words = texts.devices;

const DeviceCard = ({ device }: { readonly device: Device }) => (
  <li>
    <a className="card device-card" href={`#/devices/${device.id}`}>
      <span className="device-card-head">
        <span className="device-name">{device.name}</span>
        <StatusBadge device={device} />
      </span>
      <span className="device-facts">
        <span>{words.id(device.id)}</span>
        <span>{words.sent(device.messagesSent)}</span>
        <span>{device.webhookUrl === null ? words.noWebhook : words.webhook}</span>
      </span>
    </a>
  </li>
);

const statuses = [
  ['all', words.all],
  ['connected', texts.status.connected],
  ['qr', texts.status.qr],
  ['timeout', texts.status.timeout],
] as const;

/** The number of devices from which a search is shown. */
const searchFrom = 8;

const DeviceList = ({ devices }: { readonly devices: readonly Device[] }) => {
  const [wanted, setWanted] = useState('');
  const [status, setStatus] = useState<DeviceStatus | 'all'>('all');
  const text = wanted.trim().toLowerCase();
  const shown = devices.filter(
    (device) =>
      (device.name.toLowerCase().includes(text) || String(device.id) === text) &&
      (status === 'all' || device.status === status),
  );
  const connected = devices.filter((device) => device.status === 'connected').length;
  return (
    <>
      <p className="lead">{words.summary(connected, devices.length)}</p>
      {devices.length >= searchFrom && (
        <>
          <Field
            label={words.search}
            type="search"
            value={wanted}
            onChange={(change) => setWanted(change.target.value)}
          />
          <Choice label={words.filter} value={status} options={statuses} choose={setStatus} />
        </>
      )}
      {shown.length === 0 && <Empty title={words.noMatch} />}
      <ul className="device-list">
        {shown.map((device) => (
          <DeviceCard key={device.id} device={device} />
        ))}
      </ul>
    </>
  );
};

export const Devices = () => {
  const { devices } = useAccount();
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
        <a className="button primary" href="#/devices/new">
          {words.create}
        </a>
      </header>
      <Await of={devices}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneHint}</p>
            </Empty>
          ) : (
            <DeviceList devices={all} />
          )
        }
      </Await>
    </>
  );
};
