/** `POST /devices/{deviceId}/export`: a device on its way to another installation (docs/operations.md). */
import { Type } from 'typebox';
import { deviceOf } from '../../admission/admin.ts';
import { operation } from '../../wire/operation.ts';
import { answer, members, ok } from '../../wire/build.ts';
import { passphraseMember } from '../../schemas/devices/transfer.ts';

export const exportAnyDevice = operation({
  id: 'exportAnyDevice',
  method: 'POST',
  path: '/devices/{deviceId}/export',
  tag: 'Operator',
  summary: 'Stop a device and export it to another installation',
  description:
    'The package holds settings, link and keys, encrypted with the passphrase. The device stays here, stopped, until you forget it.',
  body: {
    schema: members({ passphrase: passphraseMember }, { title: 'ExportDevice' }),
    examples: { sealed: { passphrase: 'correct horse battery staple' } },
  },
  answer: answer({ export: Type.String({ description: 'The package, one line of text' }) }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, actor, params, body }) {
    const { id, userId } = await deviceOf(parts, params.deviceId);
    const packed = await parts.devices.export(userId, id, body.passphrase, actor);
    return { export: packed, status: ok(`Device ${id} stopped and packed`) };
  },
});
