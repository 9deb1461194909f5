/** `GET /devices`: the devices of all users (docs/spec/users.md, Operator). */
import { Type } from 'typebox';
import { answerPages } from '../../streams/page-answer.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members } from '../../wire/build.ts';
import { nextCursor, pageParameters } from '../../schemas/page.ts';
import { OperatorDeviceSchema, operatorDeviceView } from '../../schemas/operator-device.ts';

export const listAllDevices = operation({
  id: 'listAllDevices',
  method: 'GET',
  path: '/devices',
  tag: 'Operator',
  summary: 'List the devices of all users',
  query: members(pageParameters),
  answer: answer({ devices: Type.Array(OperatorDeviceSchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run(call) {
    const { parts } = call;
    return answerPages(call, { name: 'devices', done: 'Devices listed' }, async (piece) => {
      const page = await parts.stores.devices.list(null, piece);
      return { ...page, items: await Promise.all(page.items.map((record) => operatorDeviceView(parts, record))) };
    });
  },
});
