/** Update: changes only the members given; `subscription_status` stops and starts the session (docs/spec/devices.md, Update device). */
import type { Actor } from '../../domain/audit.ts';
import type { DevicePatch, DeviceRecord } from '../../domain/device.ts';
import { operate } from './access.ts';
import type { LiveParts } from '../parts.ts';

export const updateDevice = async (
  parts: LiveParts,
  userId: number,
  id: number,
  patch: DevicePatch,
  by?: Actor,
): Promise<DeviceRecord> =>
  operate(parts, userId, id, async (runtime, before) => {
    if (typeof patch.webhookUrl === 'string') await parts.outbound.check(patch.webhookUrl, 'webhookUrl');
    if (Object.keys(patch).length === 0) return before;
    const { webhookEvents } = patch;
    const kinds = webhookEvents === undefined ? {} : { webhookEvents: [...new Set(webhookEvents)] };
    const after = await parts.stores.devices.update(id, { ...patch, ...kinds }, by);
    if (after.subscriptionStatus !== before.subscriptionStatus) {
      runtime.handle({ kind: after.subscriptionStatus === 'inactive' ? 'deactivate' : 'activate' }, true);
      await runtime.ledger.settled;
    }
    return after;
  });
