/** The passkey step of a pairing: the page to open, the code to compare, and the result, live. */
import { type ReactNode, useEffect } from 'react';
import { useAccount, useEvents } from '../account/account.tsx';
import { ApiError } from '../api/client.ts';
import type { Answer } from '../api/schemas.ts';
import type { Device, Passkey } from '../api/types.ts';
import { type Loaded, useLatest, useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { Action, Await, CopyButton } from '../ui/parts.tsx';
import { Countdown, Steps } from './pairing-parts.tsx';

const words = texts.passkey;

/** Rejected credentials and tokens used in another tab cause no event, so they are polled for. */
const pollMs = 3000;

/** `over`: the network no longer waits for a passkey, and the next event brings the result. */
type Asked = Passkey | 'over';

const usePasskey = (device: Device): Loaded<Asked> => {
  const { client, generation } = useAccount();
  const load = async (): Promise<Asked> => {
    try {
      return (await client.get<Answer<'getPasskey'>>(`/v1/devices/${device.id}/passkey`)).passkey;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return 'over';
      throw error;
    }
  };
  const passkey = useLoad(load, `${device.id}:${generation}`);
  useEvents(device.id, ({ type }) => {
    if (type === 'connection.auth') passkey.reload();
  });
  const poll = useLatest(() => {
    if (!document.hidden) passkey.reload();
  });
  useEffect(() => {
    const timer = setInterval(poll, pollMs);
    return () => clearInterval(timer);
  }, [poll]);
  return passkey;
};

const Response = ({ passkey, again }: { readonly passkey: Passkey; readonly again: ReactNode }) => (
  <>
    <div className="pairing-text">
      <Steps steps={words.steps} />
      {passkey.refusal !== null && (
        <p className="error" role="alert">
          {words.refused(passkey.refusal)}
        </p>
      )}
      <details>
        <summary>{words.noExtension}</summary>
        <Steps steps={words.install} />
        <a className="button" href="./passkey-extension.zip" download>
          {words.download}
        </a>
      </details>
    </div>
    <div className="pairing-what">
      {passkey.link !== null && (
        <>
          <a className="button primary" href={passkey.link} target="_blank" rel="noreferrer">
            {words.open}
          </a>
          <CopyButton text={passkey.link} label={words.copyLink} />
        </>
      )}
      <Countdown until={passkey.expiresAt} say={words.countdown} over={words.over} />
      {again}
    </div>
  </>
);

const Confirm = ({
  device,
  passkey,
  again,
}: {
  readonly device: Device;
  readonly passkey: Passkey;
  readonly again: ReactNode;
}) => {
  const { client } = useAccount();
  return (
    <>
      <div className="pairing-text">
        <Steps steps={words.confirmSteps} />
        <p className="hint">{words.confirmWarning}</p>
      </div>
      <div className="pairing-what">
        <p className="hint">{words.code}</p>
        <p className="code">{passkey.code}</p>
        <Action className="primary" act={() => client.post(`/v1/devices/${device.id}/passkey/confirm`)}>
          {words.match}
        </Action>
        <Countdown until={passkey.expiresAt} say={words.countdown} over={words.over} />
        {again}
      </div>
    </>
  );
};

export const PasskeyGate = ({ device }: { readonly device: Device }) => {
  const { client } = useAccount();
  const loaded = usePasskey(device);
  const again = (label: string) => (
    <Action className="quiet" act={() => client.post(`/v1/devices/${device.id}/restart`, {})}>
      {label}
    </Action>
  );
  return (
    <section className="card pairing" aria-labelledby="passkey-title">
      <h2 id="passkey-title" className="pairing-title">
        {words.title}
      </h2>
      <Await of={loaded}>
        {(passkey) => {
          if (passkey === 'over' || passkey.step === 'phone') return <p role="status">{words.phone}</p>;
          if (passkey.step === 'response') return <Response passkey={passkey} again={again(words.startOver)} />;
          return <Confirm device={device} passkey={passkey} again={again(words.differ)} />;
        }}
      </Await>
    </section>
  );
};
