/** `GET /devices/{id}/limits` (docs/spec/devices.md, Limits). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { LimitsSchema, limitsView } from '../../schemas/devices/limits.ts';

export const getLimits = operation({
  id: 'getLimits',
  method: 'GET',
  path: '/devices/{id}/limits',
  tag: 'Devices',
  summary: 'Retrieve what restricts the account',
  description:
    'What the network says (a temporary ban, a time lock, a cap of new chats) and the own ceiling of the device, `newChatsPerDay` of its settings. Of the cap and the ceiling, the one that leaves fewer new chats is shown.',
  answer: answer({ limits: LimitsSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId }) {
    const limits = await parts.devices.limits(caller.user.id, deviceId);
    return { limits: limitsView(limits), status: ok(`Limits of device ${deviceId} retrieved`) };
  },
});
