/** The settings of a device, and changing them. */
import { useState } from 'react';
import { useAccount } from '../account/account.tsx';
import type { Device, DeviceSettings } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { type Loaded, useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { useNotify } from '../ui/notices.tsx';

export interface Settings {
  readonly loaded: Loaded<DeviceSettings>;
  readonly busy: boolean;
  /** Throws what is to be said at the field. */
  readonly save: (change: Partial<DeviceSettings>) => Promise<void>;
}

export const useSettings = (device: Device): Settings => {
  const { client } = useAccount();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);
  const path = `/v1/devices/${device.id}/settings`;
  const loaded = useLoad(async () => (await client.get<Answer<'getSettings'>>(path)).settings, path);
  const save = async (changes: Partial<DeviceSettings>): Promise<void> => {
    setBusy(true);
    try {
      const answer = await client.put<Answer<'updateSettings'>>(path, changes);
      loaded.change(() => answer.settings);
      notify.good(texts.device.saved);
    } finally {
      setBusy(false);
    }
  };
  return { loaded, busy, save };
};
