/** `POST /devices/{id}/passkey/response`: the credential of the account's passkey, with a key or a one-time token. */
import { operation } from '../../wire/operation.ts';
import { answer, ok } from '../../wire/build.ts';
import { CredentialSchema } from '../../schemas/devices/passkey.ts';

const example = {
  id: 'RgoF7UQ4vXJ6Ckb3x4ZlWQ',
  rawId: 'RgoF7UQ4vXJ6Ckb3x4ZlWQ',
  type: 'public-key',
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'WGF-8YvEZ3gSGmHcLMVUBdlKtWfUjFI',
    signature: 'MEUCIQDlkr1vsHvLO3S1z5rPqPlH',
    userHandle: null,
  },
};

export const respondToPasskey = operation({
  id: 'respondToPasskey',
  method: 'POST',
  path: '/devices/{id}/passkey/response',
  tag: 'Devices',
  summary: 'Submit the passkey credential',
  description:
    'The credential from `navigator.credentials.get`, as `toJSON()` returns it. The one-time token of `GET …/passkey` works in place of an API key, from any page. 400 with the reason of the network when it refuses the credential; then get the options again.',
  body: { schema: CredentialSchema, examples: { credential: example } },
  answer: answer({}),
  atOwner: true,
  oneTimeToken: true,
  errors: [400, 401, 404, 408, 409, 413, 429, 500],
  async run({ parts, caller, deviceId, body }) {
    const { passkeys } = parts.devices;
    if (caller.key === null) passkeys.spend(deviceId, caller.secret);
    const { id, rawId, type, response } = body;
    const { userHandle = null } = response;
    await passkeys.respond(caller.user.id, deviceId, { id, rawId, type, response: { ...response, userHandle } });
    return { status: ok(`Passkey response of device ${deviceId} taken; the phone completes the linking`) };
  },
});
