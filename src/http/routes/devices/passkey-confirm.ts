/** `POST /devices/{id}/passkey/confirm`: a person has compared the code with the one on the phone. */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';

export const confirmPasskey = operation({
  id: 'confirmPasskey',
  method: 'POST',
  path: '/devices/{id}/passkey/confirm',
  tag: 'Devices',
  summary: 'Confirm that the codes match',
  description: 'Only in the step `confirm`; otherwise 409.',
  answer: answer({}),
  atOwner: true,
  errors: [401, 404, 408, 409, 429, 500],
  async run({ parts, caller, deviceId }) {
    await parts.devices.passkeys.confirm(caller.user.id, deviceId);
    return { status: ok(`Passkey of device ${deviceId} confirmed`) };
  },
});
