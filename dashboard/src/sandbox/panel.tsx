/** The sandbox phone beside the pages: it links devices with one click, and sends and reads messages. */
import { useState } from 'react';
import { useAccount, useAccounts, useEvents } from '../account/account.tsx';
import type { Device } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { nameAndNumber } from '../base/format.ts';
import { useLoad } from '../api/hooks.ts';
import { useRoute } from '../base/route.ts';
import { texts } from '../base/texts.ts';
import { Action, Await, Empty } from '../ui/parts.tsx';
import { type LinkedBy, PairButton } from './pair-button.tsx';
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
            {nameAndNumber(name, number)}
          </option>
        ))}
      </select>
    </label>
    <Action className="icon" aria-label={words.add} act={add}>
      +
    </Action>
  </div>
);

/** The pairing of the device on display: as events tell it, and before the first one as its session does. */
const usePairing = (device: Device | null): LinkedBy => {
  const { client, pairings } = useAccount();
  const isPairing = device !== null && device.status === 'qr';
  const told = isPairing ? pairings.get(device.id) : undefined;
  const path = `/v1/devices/${device?.id}/session`;
  const key = isPairing && told === undefined ? path : null;
  const loaded = useLoad(async () => ({ path, ...(await client.get<Answer<'getSession'>>(path)) }), key);
  // The value stays from the device that was on display before.
  const session = loaded.value?.path === key ? loaded.value?.session : undefined;
  return {
    code: told?.pairingCode ?? session?.pairingCode ?? null,
    passkey: told?.passkey ?? session?.state === 'passkey_required',
  };
};

/** The step that the device on display waits for from one phone; null when any phone can link it. */
const askedBy = ({ code, passkey }: LinkedBy): Phone['linkAsked'] => {
  if (passkey) return 'passkey';
  return code === null ? null : 'code';
};

/** The phone that the device waits for, the other person of the chat on display, or one that can write to the device. */
const usualPhone = (phones: readonly Phone[], asked: Phone['linkAsked'], chat: string | undefined): Phone | undefined =>
  phones.find(({ linkAsked }) => asked !== null && linkAsked === asked) ??
  phones.find(({ number, jid, lid }) => chat !== undefined && [number, jid, lid].includes(chat)) ??
  phones.find(({ linkedDevices }) => linkedDevices.length === 0) ??
  phones[0];

interface OneProps {
  readonly phones: readonly Phone[];
  /** Null as well while the phones are read anew for it: the one on display may be another than it waits for. */
  readonly device: Device | null;
  readonly by: LinkedBy;
  /** The number of the device. */
  readonly account: string | null;
  readonly reload: () => void;
}

const Phones = ({ phones, device, by, account, reload }: OneProps) => {
  const addPhones = useAddPhones();
  const [, , , chat] = useRoute();
  const [picked, pick] = useState<string | null>(null);
  const usual = usualPhone(phones, askedBy(by), chat === undefined ? undefined : decodeURIComponent(chat));
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
      {device?.status === 'qr' && <PairButton device={device} by={by} phone={phone} paired={paired} reload={reload} />}
      <Screen key={phone.number} phone={phone} others={others} account={account} />
    </>
  );
};

export const PhonePanel = ({ deviceId }: { readonly deviceId: number | null }) => {
  const { client, devices } = useAccount();
  const accounts = useAccounts();
  const device = devices.value?.find(({ id }) => id === deviceId) ?? null;
  const by = usePairing(device);
  const account = accounts.get(deviceId ?? 0)?.phoneNumber ?? null;
  /** What the list was read for: one that was read before a phone was asked for a step does not say which. */
  const purpose = `${deviceId} ${askedBy(by)}`;
  const phones = useLoad(
    async () => ({ purpose, list: (await client.get<{ phones: readonly Phone[] }>('/sandbox/phones')).phones }),
    `${purpose} ${devices.value?.map(({ status }) => status).join()}`,
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
        <Await of={phones}>
          {(read) => (
            <Phones
              key={read.purpose}
              phones={read.list}
              device={read.purpose === purpose ? device : null}
              by={by}
              account={account}
              reload={phones.reload}
            />
          )}
        </Await>
      </div>
    </aside>
  );
};
