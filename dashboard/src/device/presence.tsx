/** Whether the account appears online: a switch, and what it means. */
import { type ReactNode, useState } from 'react';
import { useAccount } from '../account.tsx';
import type { Device, DeviceSettings } from '../api/types.ts';
import { useLoad } from '../hooks.ts';
import { texts } from '../texts.ts';
import { useNotify } from '../ui/notices.tsx';
import { Await } from '../ui/parts.tsx';

const words = texts.presence;

export const PresenceCard = ({ device }: { readonly device: Device }): ReactNode => {
  const { client } = useAccount();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);
  const path = `/v1/devices/${device.id}/settings`;
  const settings = useLoad(
    async () => (await client.get<{ settings: DeviceSettings }>(path)).settings,
    String(device.id),
  );
  const save = async (online: boolean): Promise<void> => {
    setBusy(true);
    try {
      const answer = await client.put<{ settings: DeviceSettings }>(path, { online });
      settings.change(() => answer.settings);
      notify.good(texts.device.saved);
    } catch (error) {
      notify.bad(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="card stack" aria-labelledby="presence-title">
      <h2 id="presence-title">{words.title}</h2>
      <Await of={settings}>
        {({ online }) => (
          <label className="check">
            <input
              type="checkbox"
              role="switch"
              checked={online}
              disabled={busy}
              aria-describedby="presence-hint"
              onChange={(input) => void save(input.target.checked)}
            />
            {words.online}
          </label>
        )}
      </Await>
      <p className="hint" id="presence-hint">
        {words.hint}
      </p>
    </section>
  );
};
