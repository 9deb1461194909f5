/** `DELETE /devices/{deviceId}`: the operator deletes a device of any user. */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const deleteAnyDevice = operation({
  id: 'deleteAnyDevice',
  method: 'DELETE',
  path: '/devices/{deviceId}',
  tag: 'Operator',
  summary: 'Delete a device of any user',
  description: 'Logs a linked device out, then deletes all its data.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, actor, params }) {
    const { id, userId } = await deviceOf(parts, params.deviceId);
    await parts.devices.delete(userId, id, actor);
    return { status: ok(`Device ${id} deleted`) };
  },
});
