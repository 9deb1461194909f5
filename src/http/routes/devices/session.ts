/** `GET /devices/{id}/session` (docs/spec/devices.md, Session). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { SessionSchema } from '../../schemas/devices/session.ts';

export const getSession = operation({
  id: 'getSession',
  method: 'GET',
  path: '/devices/{id}/session',
  tag: 'Devices',
  summary: 'Retrieve the linked account and the state of its session',
  answer: answer({ session: SessionSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const session = await parts.devices.session(caller.user.id, deviceId);
    return { session, status: ok(`Session of device ${deviceId} retrieved`) };
  },
});
