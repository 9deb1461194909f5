/** The buttons by which a sandbox phone links a device: a scan or a code, and the passkey where one is asked for. */
import { useAccount } from '../account/account.tsx';
import type { Device } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';
import { Action } from '../ui/parts.tsx';
import type { Phone } from './types.ts';

const words = texts.phone;

/** What the device waits for: a code, its passkey, or a scan. */
export interface LinkedBy {
  readonly code: string | null;
  readonly passkey: boolean;
}

interface Props {
  readonly device: Device;
  readonly by: LinkedBy;
  readonly phone: Phone;
  readonly paired: () => void;
  readonly reload: () => void;
}

/** Completes the passkey ceremony without the browser: the phone's own authenticator responds. */
const PasskeyButton = ({ device, phone }: Pick<Props, 'device' | 'phone'>) => {
  const { client } = useAccount();
  const give = async (): Promise<void> => {
    const path = `/v1/devices/${device.id}/passkey`;
    const { options } = (await client.get<Answer<'getPasskey'>>(path)).passkey;
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

const usePair = ({ device, by: { code }, phone, paired, reload }: Props) => {
  const { client } = useAccount();
  const notify = useNotify();
  const path = `/sandbox/phones/${phone.number}`;
  const link = async (): Promise<void> => {
    if (code === null) await client.post(`${path}/scan`, { qr: device.qr });
    else await client.post(`${path}/link-code`, { code });
    notify.good(words.scanned(phone.name));
    paired();
  };
  return async (): Promise<void> => {
    try {
      await link();
    } catch (error) {
      // A phone that is asked for its passkey refuses the scan, though it has done its part.
      if ((await client.get<{ phone: Phone }>(path)).phone.linkAsked !== 'passkey') throw error;
      notify.good(words.passkeyNext);
      reload();
    }
  };
};

/** Links the device with one click, instead of a camera or a typed code. */
export const PairButton = (props: Props) => {
  const { device, by, phone, reload } = props;
  const { client } = useAccount();
  const pair = usePair(props);
  if (by.passkey) return <PasskeyButton device={device} phone={phone} />;
  const gated = phone.behaviour.linking === 'passkey';
  const gate = async (): Promise<void> => {
    await client.patch(`/sandbox/phones/${phone.number}`, { linking: gated ? 'plain' : 'passkey' });
    reload();
  };
  return (
    <>
      <Action className="primary wide" act={pair}>
        {by.code === null ? words.scan : words.enter}
      </Action>
      <Action className="quiet" aria-pressed={gated} act={gate}>
        {words.requirePasskey}
      </Action>
    </>
  );
};
