/** The page to create a device, paired by QR code or pairing code. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device } from '../api/types.ts';
import { PairingMethod, type Way } from '../device/pairing-method.tsx';
import { go } from '../base/route.ts';
import { texts } from '../base/texts.ts';
import { useForm } from '../ui/form.ts';
import { ErrorText, Field } from '../ui/parts.tsx';
import { plainNumber } from '../base/typed-number.ts';

const words = texts.create;

interface HistoryProps {
  readonly on: boolean;
  readonly set: (on: boolean) => void;
}

const History = ({ on, set }: HistoryProps) => (
  <div>
    <label className="check">
      <input type="checkbox" checked={on} onChange={(change) => set(change.target.checked)} />
      {words.history}
    </label>
    <p className="hint">{words.historyHint}</p>
  </div>
);

export const CreateDevice = () => {
  const { client, devices, me } = useAccount();
  const [name, setName] = useState('');
  const [way, setWay] = useState<Way>({ by: 'qr', number: '' });
  const [history, setHistory] = useState(false);
  const form = useForm(['name', 'number'], async () => {
    const { device } = await client.post<{ device: Device }>('/v1/devices', {
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(way.by === 'qr' ? {} : { phoneNumber: plainNumber(way.number) }),
    });
    if (history) await client.put(`/v1/devices/${device.id}/settings`, { history: 'recent' });
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
        <History on={history} set={setHistory} />
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
