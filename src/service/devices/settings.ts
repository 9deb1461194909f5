/** Settings of a device beside its nine fields (docs/spec/devices.md, Settings). */
import type { Actor } from '../../domain/audit.ts';
import type { DeviceSettings } from '../../domain/device.ts';
import { operate } from './access.ts';
import type { LiveParts } from '../parts.ts';

/** Changes those given; the present session follows at once. */
export const updateSettings = (
  parts: LiveParts,
  userId: number,
  id: number,
  settings: Partial<DeviceSettings>,
  by?: Actor,
): Promise<DeviceSettings> =>
  operate(parts, userId, id, async (runtime, before) => {
    if (Object.keys(settings).length === 0) return before.settings;
    const after = await parts.stores.devices.update(id, { settings }, by);
    runtime.applySettings(after.settings);
    return after.settings;
  });
