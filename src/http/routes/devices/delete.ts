/** `DELETE /devices/{id}` (docs/spec/devices.md, Delete device). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const deleteDevice = operation({
  id: 'deleteDevice',
  method: 'DELETE',
  path: '/devices/{id}',
  tag: 'Devices',
  summary: 'Delete a device',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, actor, deviceId }) {
    await parts.devices.delete(caller.user.id, deviceId, actor);
    return { status: ok(`Device ${deviceId} deleted`) };
  },
});
