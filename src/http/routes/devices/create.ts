/** `POST /devices` (docs/spec/devices.md, Create device). */
import { Type } from 'typebox';
import { operation } from '../../wire/operation.ts';
import { answer, nullableText, ok } from '../../wire/build.ts';
import { CreateDeviceSchema, DeviceSchema } from '../../schemas/devices/device.ts';

export const pairingCode = Type.Optional(
  nullableText({ description: 'The pairing code, 8 characters; only when `phoneNumber` was given' }),
);

export const createDevice = operation({
  id: 'createDevice',
  method: 'POST',
  path: '/devices',
  tag: 'Devices',
  summary: 'Create a device',
  description:
    'Answers once the first QR is ready. If the network gives none in time, this is 408 and no device is created.',
  body: {
    schema: CreateDeviceSchema,
    optional: true,
    examples: {
      named: { name: 'Front desk', webhookUrl: 'https://example.com/hook', webhookEvents: ['message.received'] },
      byCode: { phoneNumber: '4915112345678' },
    },
  },
  answer: answer({ device: DeviceSchema, pairingCode }),
  bySchema: true,
  errors: [400, 401, 403, 408, 413, 429, 500],
  async run({ parts, caller, actor, body, signal }) {
    const created = await parts.devices.create(caller.user.id, body, signal, actor);
    return {
      device: created.device,
      ...(body.phoneNumber === undefined ? {} : { pairingCode: created.pairingCode }),
      status: ok(`Device ${created.device.id} created`),
    };
  },
});
