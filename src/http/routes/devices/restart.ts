/** `POST /devices/{id}/restart` (docs/spec/devices.md, Restart device). */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { RestartDeviceSchema } from '../../schemas/devices/device.ts';
import { pairingCode } from './create.ts';

export const restartDevice = operation({
  id: 'restartDevice',
  method: 'POST',
  path: '/devices/{id}/restart',
  tag: 'Devices',
  summary: 'Restart a device',
  description:
    'Closes the connection without logging out and starts a new session: a linked device connects again, any other starts a new pairing.',
  body: {
    schema: RestartDeviceSchema,
    optional: true,
    examples: { byQr: {}, byCode: { phoneNumber: '4915112345678' } },
  },
  answer: answer({ pairingCode }),
  atOwner: true,
  errors: [400, 401, 404, 408, 413, 429, 500],
  async run({ parts, caller, actor, deviceId, body, signal }) {
    const started = await parts.devices.restart(caller.user.id, deviceId, body.phoneNumber ?? null, signal, actor);
    return {
      ...(started.pairingCode === null ? {} : { pairingCode: started.pairingCode }),
      status: ok(`Device ${deviceId} restarted`),
    };
  },
});
