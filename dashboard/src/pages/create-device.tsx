/** The page to create a device, paired by QR code or pairing code. */
import { useRef, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, DeviceSettings } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { SelectSetting } from '../device/kept.tsx';
import { PairingMethod, type Way } from '../device/pairing-method.tsx';
import { go } from '../base/route.ts';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { ErrorText, Field } from '../ui/parts.tsx';
import { plainNumber } from '../base/typed-number.ts';

const words = texts.create;

/** Creates the device, and sets its history before the QR is shown: it counts at the pairing. */
const useCreate = () => {
  const { client } = useAccount();
  /** Made by a request whose second part has failed. */
  const made = useRef<Device | null>(null);
  return async (body: object, history: DeviceSettings['history']): Promise<Device> => {
    made.current ??= (await client.post<Answer<'createDevice'>>('/v1/devices', body)).device;
    if (history !== 'none') await client.put(`/v1/devices/${made.current.id}/settings`, { history });
    return made.current;
  };
};

export const CreateDevice = () => {
  const { devices, me } = useAccount();
  const create = useCreate();
  const [name, setName] = useState('');
  const [way, setWay] = useState<Way>({ by: 'qr', number: '' });
  const [history, setHistory] = useState<DeviceSettings['history']>('none');
  const form = useForm(['name', 'number'], async () => {
    const body = {
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(way.by === 'qr' ? {} : { phoneNumber: plainNumber(way.number) }),
    };
    const device = await create(body, history);
    devices.change((all) => [...all.filter(({ id }) => id !== device.id), device]);
    me.reload();
    go(`/devices/${device.id}`);
  });
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
      </header>
      <form className="card narrow" onSubmit={form.submit} noValidate>
        <Field
          label={words.name}
          hint={words.nameHint}
          error={form.errorOf('name')}
          value={name}
          maxLength={100}
          onChange={(change) => setName(change.target.value)}
        />
        <PairingMethod way={way} change={setWay} error={form.errorOf('number')} />
        <SelectSetting
          label={words.history}
          hint={words.historyHint}
          value={history}
          options={texts.kept.histories}
          save={setHistory}
        />
        <ErrorText error={form.error} />
        <div className="row">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {form.busy ? words.working : words.submit}
          </button>
          <a className="button quiet" href="#/devices">
            {texts.cancel}
          </a>
        </div>
      </form>
    </>
  );
};
