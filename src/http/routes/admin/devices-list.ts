/** `GET /users/{userId}/devices` (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { userOf } from '../../admission/admin.ts';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { DeviceSchema } from '../../schemas/devices/device.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';

export const listUserDevices = operation({
  id: 'listUserDevices',
  method: 'GET',
  path: '/users/{userId}/devices',
  tag: 'Operator',
  summary: 'List the devices of a user',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor }),
  errors: [400, 401, 404, 408, 500],
  async run(call) {
    const { id } = await userOf(call.parts, call.params.userId);
    return answerPages(call, { name: 'devices', done: 'Devices listed' }, (piece) =>
      call.parts.devices.list(id, piece),
    );
  },
});
