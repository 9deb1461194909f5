/** `GET /devices/{id}/passkey`: what the network asks for before it links the account, and what to do next. */
import type { FastifyRequest } from 'fastify';
import { originOf } from '../../forwarding/forward.ts';
import { operation } from '../../wire/operation.ts';
import type { Parts } from '../../wire/parts.ts';
import { answer, ok } from '../../wire/build.ts';
import { PasskeySchema, passkeyView } from '../../schemas/devices/passkey.ts';

/** As callers reach this service; without a public URL, as this caller did. */
const baseOf = (parts: Parts, request: FastifyRequest): string => `${parts.options.publicUrl ?? originOf(request)}/v1`;

export const getPasskey = operation({
  id: 'getPasskey',
  method: 'GET',
  path: '/devices/{id}/passkey',
  tag: 'Devices',
  summary: 'Retrieve the passkey that the network asks for',
  description: 'While the session is in the state `passkey_required`; otherwise 404.',
  answer: answer({ passkey: PasskeySchema }),
  atOwner: true,
  errors: [401, 404, 408, 429, 500],
  async run({ parts, caller, deviceId, request }) {
    const view = await parts.devices.passkeys.get(caller.user.id, deviceId);
    const responseUrl = `${baseOf(parts, request)}/devices/${deviceId}/passkey/response`;
    return { passkey: passkeyView(view, responseUrl), status: ok(`Passkey of device ${deviceId} retrieved`) };
  },
});
