/** A page of the table of devices. */
import type { Device, LinkedAccount } from '../api/types.ts';
import { phoneNumber, shortTime } from '../base/format.ts';
import { locale, texts } from '../base/texts.ts';
import { TableHead } from '../ui/parts.tsx';
import { StatusBadge } from '../ui/status.tsx';

const words = texts.devices;

export interface ListedDevice {
  readonly device: Device;
  readonly account: LinkedAccount | undefined;
}

const Account = ({ account }: Pick<ListedDevice, 'account'>) => {
  if (account === undefined) return <span className="dim">{words.notLinked}</span>;
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

const Row = ({ device, account }: ListedDevice) => (
  <tr>
    <th scope="row">
      <a className="row-link one-line" href={`#/devices/${device.id}`} title={device.name}>
        {device.name}
      </a>
      <span className="under one-line">{words.id(device.id)}</span>
    </th>
    <td>
      <Account account={account} />
    </td>
    <td>
      <StatusBadge device={device} />
    </td>
    <td data-label={words.sentColumn}>{device.messagesSent.toLocaleString(locale)}</td>
    <td data-label={words.webhookColumn}>{device.webhookUrl === null ? words.off : words.on}</td>
    <td data-label={words.created}>{shortTime(device.createdAt)}</td>
  </tr>
);

export const DeviceTable = ({ rows }: { readonly rows: readonly ListedDevice[] }) => (
  <table className="list device-table">
    <TableHead
      columns={[words.device, words.account, words.filter, words.sentColumn, words.webhookColumn, words.created]}
    />
    <tbody>
      {rows.map((row) => (
        <Row key={row.device.id} {...row} />
      ))}
    </tbody>
  </table>
);
