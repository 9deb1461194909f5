/** The settings of a device, and changing them. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, DeviceSettings } from '../api/types.ts';
import { type Loaded, useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';

export interface Settings {
  readonly loaded: Loaded<DeviceSettings>;
  readonly busy: boolean;
  /** Throws; for forms, which show the error at the field. */
  readonly save: (change: Partial<DeviceSettings>) => Promise<void>;
  /** Shows an error as a notice; for settings without a form. */
  readonly set: (change: Partial<DeviceSettings>) => void;
}

export const useSettings = (device: Device): Settings => {
  const { client } = useAccount();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);
  const path = `/v1/devices/${device.id}/settings`;
  const loaded = useLoad(async () => (await client.get<{ settings: DeviceSettings }>(path)).settings, path);
  const save = async (changes: Partial<DeviceSettings>): Promise<void> => {
    setBusy(true);
    try {
      const answer = await client.put<{ settings: DeviceSettings }>(path, changes);
      loaded.change(() => answer.settings);
      notify.good(texts.device.saved);
    } finally {
      setBusy(false);
    }
  };
  return { loaded, busy, save, set: (changes) => void save(changes).catch(notify.bad) };
};
