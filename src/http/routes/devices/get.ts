/** `GET /devices/{id}` (docs/spec/devices.md, Retrieve device). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { DeviceSchema } from '../../schemas/devices/device.ts';

export const getDevice = operation({
  id: 'getDevice',
  method: 'GET',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Retrieve a device',
  answer: answer({ device: DeviceSchema }),
  bySchema: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    return { device: await parts.devices.get(caller.user.id, deviceId), status: ok(`Device ${deviceId} retrieved`) };
  },
});
