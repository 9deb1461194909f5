/** The page to create a device, paired by QR code or pairing code. */
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.tsx';
import { messageOf } from '../api/client.ts';
import type { Device } from '../api/types.ts';
import { PairingMethod, type Way } from '../device/pairing-method.tsx';
import { go } from '../base/route.ts';
import { texts } from '../base/texts.ts';
import { Field } from '../ui/parts.tsx';
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
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const submit = async (form: FormEvent): Promise<void> => {
    form.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const { device } = await client.post<{ device: Device }>('/v1/devices', {
        ...(name.trim() === '' ? {} : { name: name.trim() }),
        ...(way.by === 'qr' ? {} : { phoneNumber: plainNumber(way.number) }),
      });
      if (history) await client.put(`/v1/devices/${device.id}/settings`, { history: 'recent' });
      devices.change((all) => [...all.filter(({ id }) => id !== device.id), device]);
      me.reload();
      go(`/devices/${device.id}`);
    } catch (failure) {
      setError(messageOf(failure));
      setBusy(false);
    }
  };
  return (
    <>
      <header className="page-head">
        <h1>{words.title}</h1>
      </header>
      <form className="card narrow" onSubmit={(form) => void submit(form)} noValidate>
        <Field
          label={words.name}
          hint={words.nameHint}
          value={name}
          maxLength={100}
          onChange={(change) => setName(change.target.value)}
        />
        <PairingMethod way={way} change={setWay} />
        <History on={history} set={setHistory} />
        {error !== null && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <div className="row">
          <button type="submit" className="primary" disabled={busy} aria-busy={busy}>
            {busy ? words.working : words.submit}
          </button>
          <a className="button quiet" href="#/devices">
            {texts.cancel}
          </a>
        </div>
      </form>
    </>
  );
};
