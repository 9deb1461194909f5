/** Linking: scanning, entering a code, and the phone's passkey. */
import type { RequestOptions } from '../phones/companions/authenticator.ts';
import { PASSKEY_ORIGIN, PASSKEY_RP_ID } from '../server/linking/assertion.ts';
import type { Device } from '../base/types.ts';
import { badRequest, ControlError } from '../base/errors.ts';
import { type Field, isObject, optional, readFields, text } from '../base/fields.ts';
import { type Network, phoneOf } from './network.ts';
import { readQr } from './qr.ts';
import type { Routes } from './router.ts';

export const linkedDevice = (device: Device): object => ({
  device: device.id,
  platform: device.platform,
  linkedAt: new Date(device.linkedAt).toISOString(),
});

/** Passes on the server's words about a code that does not link. */
const linking = async (link: () => Promise<Device>): Promise<object> => {
  try {
    return { linkedDevice: linkedDevice(await link()) };
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
};

/** WebAuthn request options, as the service gives them; members that no authenticator reads are let pass. */
const requestOptions: Field<RequestOptions> = (value, name) => {
  if (!isObject(value)) throw badRequest(`${name} must be WebAuthn request options`);
  const { challenge, rpId, allowCredentials } = value;
  if (typeof challenge !== 'string' || typeof rpId !== 'string') {
    throw badRequest(`${name} must have a challenge and an rpId`);
  }
  const allowed: readonly unknown[] = Array.isArray(allowCredentials) ? allowCredentials : [];
  return { challenge, rpId, allowed: allowed.flatMap((one) => (isObject(one) ? [String(one['id'])] : [])) };
};

export const linkingRoutes = (network: Network): Routes => ({
  'POST /phones/{number}/scan': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { qr } = readFields(body, { qr: text(2_000_000) });
    const content = await readQr(qr);
    return linking(() => phone.scan(content));
  },
  'POST /phones/{number}/link-code': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    const { code } = readFields(body, { code: text(20) });
    return linking(() => phone.enterCode(code.replaceAll(/[\s-]/g, '').toUpperCase()));
  },
  'GET /phones/{number}/passkey': ({ params }) => {
    const { authenticator } = phoneOf(network, params['number']);
    return { passkey: { rpId: PASSKEY_RP_ID, ...authenticator.passkey } };
  },
  'POST /phones/{number}/passkey': ({ params, body }) => {
    const { authenticator } = phoneOf(network, params['number']);
    const { options, origin } = readFields(body, { options: requestOptions, origin: optional(text(200)) });
    return { credential: authenticator.answer(options, origin ?? PASSKEY_ORIGIN) };
  },
});
