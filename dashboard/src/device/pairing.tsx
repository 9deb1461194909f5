/** The QR code or pairing code of a device that is being paired, live, with a countdown. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, Session } from '../api/types.ts';
import { pairingCode as drawCode } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import { LinkingHelp } from '../ui/client-version.tsx';
import { useForm } from '../ui/form.ts';
import { CopyButton, ErrorText } from '../ui/parts.tsx';
import { Countdown, Steps } from './pairing-parts.tsx';
import { PairingMethod, type Way } from './pairing-method.tsx';
import { plainNumber } from '../base/typed-number.ts';

const words = texts.pairing;

type Latest = Pick<Session, 'pairingCode'> & { readonly qr: string | null; readonly expiresAt: string | null };

/** The latest pairing event or, before the first one, the state of the device and its session. */
const useLatestPairing = (device: Device, session: Session | null): Latest => {
  const { pairings } = useAccount();
  const told = pairings.get(device.id);
  // A pairing code lives longer than the QR codes beside it. Only the session has its expiry.
  const code = told === undefined ? (session?.pairingCode ?? null) : told.pairingCode;
  return {
    qr: device.qr ?? told?.qr ?? null,
    pairingCode: code,
    expiresAt:
      code === null ? (told?.expiresAt ?? session?.qrExpiresAt ?? null) : (session?.pairingCodeExpiresAt ?? null),
  };
};

export const Pairing = ({ device, session }: { readonly device: Device; readonly session: Session | null }) => {
  const { client } = useAccount();
  const { qr, pairingCode, expiresAt } = useLatestPairing(device, session);
  return (
    <section className="card pairing" aria-labelledby="pairing-title">
      <div className="pairing-text">
        <h2 id="pairing-title">{words.title}</h2>
        <Steps steps={pairingCode === null ? words.steps : words.codeSteps} />
      </div>
      <div className="pairing-what">
        {pairingCode === null ? (
          qr !== null && <img className="qr" src={qr} alt={words.qr} />
        ) : (
          <>
            <p className="hint">{words.code}</p>
            <p className="code">{drawCode(pairingCode)}</p>
            <CopyButton text={drawCode(pairingCode)} label={words.copyCode} />
          </>
        )}
        <Countdown
          until={expiresAt}
          say={pairingCode === null ? words.qrCountdown : words.codeCountdown}
          over={words.refreshing}
        />
      </div>
      <LinkingHelp client={client} />
    </section>
  );
};

/** For a device that is neither linked nor being paired. */
export const PairAgain = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const [way, setWay] = useState<Way>({ by: 'qr', number: '' });
  const form = useForm(['number'], () =>
    client.post(`/v1/devices/${device.id}/restart`, way.by === 'qr' ? {} : { phoneNumber: plainNumber(way.number) }),
  );
  return (
    <section className="card narrow" aria-labelledby="again-title">
      <h2 id="again-title">{words.title}</h2>
      <form onSubmit={form.submit} noValidate>
        <PairingMethod way={way} change={setWay} error={form.errorOf('number')} />
        <ErrorText error={form.error} />
        <div className="row">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {words.again}
          </button>
        </div>
      </form>
      <LinkingHelp client={client} />
    </section>
  );
};
