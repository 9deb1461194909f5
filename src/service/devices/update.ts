/** Update: changes only the members given; `subscription_status` stops and starts the session (docs/spec/devices.md, Update device). */
import type { DevicePatch, DeviceRecord } from '../../domain/device.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceScope } from '../sessions/scope.ts';

export const updateDevice = (parts: LiveParts, scope: DeviceScope, patch: DevicePatch): Promise<DeviceRecord> =>
  scope.operate(async (runtime, before) => {
    if (typeof patch.webhookUrl === 'string') await parts.outbound.check(patch.webhookUrl, 'webhookUrl');
    if (Object.keys(patch).length === 0) return before;
    const { webhookEvents } = patch;
    const kinds = webhookEvents === undefined ? {} : { webhookEvents: [...new Set(webhookEvents)] };
    const after = await parts.stores.devices.update(scope.id, { ...patch, ...kinds }, scope.actor);
    if (after.subscriptionStatus !== before.subscriptionStatus) {
      runtime.handle({ kind: after.subscriptionStatus === 'inactive' ? 'deactivate' : 'activate' }, true);
      await runtime.ledger.settled;
    }
    return after;
  });
