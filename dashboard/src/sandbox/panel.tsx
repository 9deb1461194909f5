/** The sandbox phone beside the pages: it links devices with one click, and sends and reads messages. */
import { useState } from 'react';
import { useAccount, useEvents } from '../account.tsx';
import type { Device, Passkey } from '../api/types.ts';
import { phoneNumber } from '../format.ts';
import { useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';
import { Action, Await, Empty } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';
import { Screen } from './screen.tsx';
import type { Phone } from './types.ts';

const words = texts.phone;

/** `+49 1555 000 …`: numbers that are easy to recognise and to type. */
const numberOf = (index: number): string => `4915550${String((index + 1) * 1111).padStart(6, '0')}`;

const useAddPhones = () => {
  const { client } = useAccount();
  return async (phones: readonly Phone[], howMany: number): Promise<void> => {
    const taken = new Set(phones.map(({ number }) => number));
    let added = 0;
    for (let index = 0; added < howMany; index += 1) {
      if (taken.has(numberOf(index))) continue;
      const name = words.names[index] ?? `${words.pick} ${index + 1}`;
      await client.post('/sandbox/phones', { number: numberOf(index), name });
      added += 1;
    }
  };
};

interface PairProps {
  readonly device: Device;
  readonly phone: Phone;
  readonly paired: () => void;
  readonly reload: () => void;
}

/** Completes the passkey ceremony without the browser: the phone's own authenticator responds. */
const PasskeyButton = ({ device, phone }: Pick<PairProps, 'device' | 'phone'>) => {
  const { client } = useAccount();
  const give = async (): Promise<void> => {
    const path = `/v1/devices/${device.id}/passkey`;
    const { options } = (await client.get<{ passkey: Passkey }>(path)).passkey;
    const { credential } = await client.post<{ credential: unknown }>(`/sandbox/phones/${phone.number}/passkey`, {
      options,
    });
    await client.post(`${path}/response`, credential);
  };
  return phone.passkeyCode === null ? (
    <Action className="primary wide" act={give} done={words.passkeySent}>
      {words.passkey}
    </Action>
  ) : (
    <p role="status">{words.shows(phone.passkeyCode)}</p>
  );
};

/** Links the device with one click, instead of a camera or a typed code. */
const PairButton = ({ device, phone, paired, reload }: PairProps) => {
  const { client, pairings } = useAccount();
  const notify = useNotify();
  const { pairingCode: code = null, passkey = false } = pairings.get(device.id) ?? {};
  // Before the stream's first event, a device without a QR code or pairing code is one that needs a passkey.
  if (passkey || (code === null && device.qr === null)) return <PasskeyButton device={device} phone={phone} />;
  const pair = async (): Promise<void> => {
    const path = `/sandbox/phones/${phone.number}`;
    if (code === null) await client.post(`${path}/scan`, { qr: device.qr });
    else await client.post(`${path}/link-code`, { code });
    notify.good(words.scanned(phone.name));
    paired();
  };
  const gated = phone.behaviour.linking === 'passkey';
  const gate = async (): Promise<void> => {
    await client.patch(`/sandbox/phones/${phone.number}`, { linking: gated ? 'plain' : 'passkey' });
    reload();
  };
  return (
    <>
      <Action className="primary wide" act={pair}>
        {code === null ? words.scan : words.enter}
      </Action>
      <Action className="quiet" aria-pressed={gated} act={gate}>
        {words.requirePasskey}
      </Action>
    </>
  );
};

interface HeadProps {
  readonly phones: readonly Phone[];
  readonly phone: Phone;
  readonly pick: (number: string) => void;
  readonly add: () => Promise<unknown>;
}

const Head = ({ phones, phone, pick, add }: HeadProps) => (
  <div className="phone-head">
    <label>
      <span className="visually-hidden">{words.pick}</span>
      <select value={phone.number} onChange={(change) => pick(change.target.value)}>
        {phones.map(({ number, name }) => (
          <option key={number} value={number}>
            {name}, {phoneNumber(number)}
          </option>
        ))}
      </select>
    </label>
    <Action className="icon" aria-label={words.add} act={add}>
      +
    </Action>
  </div>
);

interface OneProps {
  readonly phones: readonly Phone[];
  readonly device: Device | null;
  readonly reload: () => void;
}

const Phones = ({ phones, device, reload }: OneProps) => {
  const addPhones = useAddPhones();
  const [picked, pick] = useState<string | null>(null);
  // A phone that is not linked by default, so that it can write to the one that is.
  const usual = phones.find(({ linkedDevices }) => linkedDevices.length === 0) ?? phones[0];
  const phone = phones.find(({ number }) => number === picked) ?? usual;
  if (phone === undefined) {
    return (
      <Empty title={words.none}>
        <Action
          className="primary"
          act={async () => {
            await addPhones(phones, 2);
            reload();
          }}
        >
          {words.addPair}
        </Action>
      </Empty>
    );
  }
  const others = phones.filter(({ number }) => number !== phone.number);
  /** Switches to a phone that is not linked, so that it can write to this one. */
  const paired = (): void => {
    reload();
    pick(others.find(({ linkedDevices }) => linkedDevices.length === 0)?.number ?? phone.number);
  };
  return (
    <>
      <Head
        phones={phones}
        phone={phone}
        pick={pick}
        add={async () => {
          await addPhones(phones, 1);
          reload();
        }}
      />
      <p className="hint">{phone.linkedDevices.length > 0 ? words.linked : words.notLinked}</p>
      {device?.status === 'qr' && <PairButton device={device} phone={phone} paired={paired} reload={reload} />}
      <Screen key={phone.number} phone={phone} others={others} />
    </>
  );
};

export const PhonePanel = ({ deviceId }: { readonly deviceId: number | null }) => {
  const { client, devices } = useAccount();
  const device = devices.value?.find(({ id }) => id === deviceId) ?? null;
  const phones = useLoad(
    async () => (await client.get<{ phones: readonly Phone[] }>('/sandbox/phones')).phones,
    `${devices.value?.map(({ status }) => status).join()}`,
  );
  // The phone may show a code to compare now.
  useEvents(deviceId ?? 0, ({ type }) => {
    if (type === 'connection.auth') phones.reload();
  });
  return (
    <aside className="phone-panel" aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="hint">{words.lead}</p>
      <div className="phone-body">
        <Await of={phones}>{(all) => <Phones phones={all} device={device} reload={phones.reload} />}</Await>
      </div>
    </aside>
  );
};
