/** `GET /users/{userId}/devices` (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { userOf } from '../../admission/admin.ts';
import { operation } from '../../server/operation.ts';
import { answer, members, ok } from '../../schemas/build.ts';
import { DeviceSchema } from '../../schemas/devices/device.ts';
import { nextCursor, pageOf, pageParameters } from '../../schemas/page.ts';

export const listUserDevices = operation({
  id: 'listUserDevices',
  method: 'GET',
  path: '/users/{userId}/devices',
  tag: 'Operator',
  summary: 'List the devices of a user',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(DeviceSchema), nextCursor }),
  errors: [400, 401, 404, 408, 500],
  async run({ parts, params, query }) {
    const { id } = await userOf(parts, params.userId);
    const page = await parts.devices.list(id, pageOf(query));
    return { devices: page.items, nextCursor: page.nextCursor, status: ok('Devices listed') };
  },
});
