/** `POST /users/{userId}/devices`: a device from another installation (docs/operations.md). */
import { Type } from 'typebox';
import { userOf } from '../../admission/admin.ts';
import { mediaLimit } from '../../body/body.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { OperatorDeviceSchema, operatorDeviceView } from '../../schemas/operator-device.ts';
import { ProxySchema } from '../../schemas/devices/settings.ts';
import { passphraseMember } from '../../schemas/devices/transfer.ts';
import { deviceOf } from '../../admission/admin.ts';

export const importUserDevice = operation({
  id: 'importUserDevice',
  method: 'POST',
  path: '/users/{userId}/devices',
  tag: 'Operator',
  summary: 'Import a device from another installation',
  description: 'The device connects at once, without a new pairing, and counts against the limit of the user.',
  body: {
    schema: members(
      {
        export: Type.String({
          minLength: 1,
          description: 'The package',
          errorMessage: 'must be the package of a device',
        }),
        passphrase: passphraseMember,
        proxy: Type.Optional(ProxySchema),
      },
      { title: 'ImportDevice' },
    ),
    limit: mediaLimit,
    examples: { packed: { export: 'handset-device-1.…', passphrase: 'correct horse battery staple' } },
  },
  answer: answer({ device: OperatorDeviceSchema }),
  errors: [400, 401, 403, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const user = await userOf(parts, params.userId);
    const id = await parts.devices.import(user.id, body.export, body.passphrase, actor, body.proxy);
    const record = await deviceOf(parts, String(id));
    return { device: await operatorDeviceView(parts, record), status: ok(`Device ${id} created`) };
  },
});
