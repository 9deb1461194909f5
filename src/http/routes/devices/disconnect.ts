/** `POST /devices/{id}/disconnect` (docs/spec/devices.md, Disconnect device). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const disconnectDevice = operation({
  id: 'disconnectDevice',
  method: 'POST',
  path: '/devices/{id}/disconnect',
  tag: 'Devices',
  summary: 'Disconnect a device',
  description: 'Logs the account out and deletes its authentication data. 404 if the device is not connected.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, actor, deviceId }) {
    await parts.devices.disconnect(caller.user.id, deviceId, actor);
    return { status: ok(`Device ${deviceId} disconnected`) };
  },
});
