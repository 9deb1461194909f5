/** `PUT /devices/{deviceId}`: the operator stops a device of any user, or starts it again. */
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { Type } from 'typebox';
import { answer, members, ok, oneOf } from '../../wire/build.ts';
import { OperatorDeviceSchema, operatorDeviceView } from '../../schemas/operator-device.ts';

export const updateAnyDevice = operation({
  id: 'updateAnyDevice',
  method: 'PUT',
  path: '/devices/{deviceId}',
  tag: 'Operator',
  summary: 'Stop or start a device of any user',
  description: '`inactive` stops the session and keeps its authentication.',
  body: {
    schema: members(
      {
        subscription_status: Type.Optional(
          oneOf(['active', 'inactive'], { errorMessage: 'must be active or inactive' }),
        ),
      },
      { title: 'UpdateAnyDevice' },
    ),
    examples: { stop: { subscription_status: 'inactive' } },
  },
  answer: answer({ device: OperatorDeviceSchema }),
  atOwner: true,
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const record = await deviceOf(parts, params.deviceId);
    const { subscription_status: subscriptionStatus } = body;
    const patch = subscriptionStatus === undefined ? {} : { subscriptionStatus };
    await parts.devices.update(record.userId, record.id, patch, actor);
    return { device: await operatorDeviceView(parts, record), status: ok(`Device ${record.id} updated`) };
  },
});
