/** `POST /devices/{deviceId}/forget`: the last step of a move to another installation (docs/operations.md). */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const forgetAnyDevice = operation({
  id: 'forgetAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/forget',
  tag: 'Operator',
  summary: 'Delete a stopped device without logging it out',
  description: 'For a device that was exported: a logout would end its link in the other installation.',
  answer: answer({}),
  atOwner: true,
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, actor, params }) {
    const { id, userId } = await deviceOf(parts, params.deviceId);
    await parts.devices.forget(userId, id, actor);
    return { status: ok(`Device ${id} forgotten`) };
  },
});
