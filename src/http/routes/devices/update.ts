/** `PUT /devices/{id}` (docs/spec/devices.md, Update device): changes only the members given. */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { DeviceSchema, UpdateDeviceSchema } from '../../schemas/devices/device.ts';

export const updateDevice = operation({
  id: 'updateDevice',
  method: 'PUT',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Update a device',
  description:
    'Changes only the given fields; `{}` changes nothing. Setting `subscription_status` to `active` counts against the device limit again.',
  body: {
    schema: UpdateDeviceSchema,
    examples: {
      rename: { name: 'Back office' },
      noWebhook: { webhookUrl: null },
      stop: { subscription_status: 'inactive' },
    },
  },
  answer: answer({ device: DeviceSchema }),
  bySchema: true,
  atOwner: true,
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, caller, actor, deviceId, body }) {
    const { subscription_status: subscriptionStatus, ...rest } = body;
    const patch = { ...rest, ...(subscriptionStatus === undefined ? {} : { subscriptionStatus }) };
    const device = await parts.devices.update(caller.user.id, deviceId, patch, actor);
    // What waited for a stopped webhook goes out as soon as it has a URL again.
    if (typeof patch.webhookUrl === 'string') parts.wakeDispatcher();
    return { device, status: ok(`Device ${deviceId} updated`) };
  },
});
