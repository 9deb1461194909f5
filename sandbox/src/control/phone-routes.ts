/** Routes for phones: creating, linking, and changing their behaviour. */
import jsqr from 'jsqr';
import sharp from 'sharp';
import { badRequest, ControlError, conflict, notFound } from '../base/errors.ts';
import type { RequestOptions } from '../phones/companions/authenticator.ts';
import { PASSKEY_ORIGIN, PASSKEY_RP_ID } from '../server/linking/assertion.ts';
import { isUsername, isUsernameKey } from '../server/accounts/usernames.ts';
import { type Device, type Account, MIGRATION_NEWS } from '../base/types.ts';
import {
  type Field,
  isObject,
  optional,
  readFields,
  text,
  flag,
  list,
  oneOf,
  phoneNumber,
  readNothing,
  unless,
} from '../base/fields.ts';
import { type Network, phoneOf } from './network.ts';
import type { Routes } from './server.ts';
import type { Phone } from '../phones/phone.ts';

/** The function itself, however the loader presents a CommonJS default export. */
const decode = typeof jsqr === 'function' ? jsqr : jsqr.default;

const pixels = async (png: Buffer): Promise<{ data: Uint8ClampedArray; width: number; height: number }> => {
  try {
    const { data, info } = await sharp(png).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return { data: Uint8ClampedArray.from(data), width: info.width, height: info.height };
  } catch {
    throw badRequest('qr is a data URL, but not of a picture');
  }
};

const readQr = async (qr: string): Promise<string> => {
  if (!qr.startsWith('data:')) return qr;
  const { data, width, height } = await pixels(Buffer.from(qr.slice(qr.indexOf(',') + 1), 'base64'));
  const found = decode(data, width, height);
  if (found === null) throw badRequest('qr is a picture without a QR code that could be read');
  return found.data;
};

const linkedDevice = (device: Device): object => ({
  device: device.id,
  platform: device.platform,
  linkedAt: new Date(device.linkedAt).toISOString(),
});

const linking = async (link: () => Promise<Device>): Promise<object> => {
  try {
    return { linkedDevice: linkedDevice(await link()) };
  } catch (error) {
    if (error instanceof ControlError) throw error;
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
};

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

const linkedDevices = (account: Account): readonly object[] =>
  [...account.devices.values()].filter(({ id }) => id !== 0).map(linkedDevice);

const phoneJson = ({ hub }: Network, { account, behaviour, counters, passkeyCode, tokens }: Phone): object => ({
  number: account.number,
  jid: account.jid,
  lid: account.lid,
  name: account.name,
  migrated: account.migrated,
  migrationTold: account.migrationTold,
  business: account.business,
  hidesNumber: account.hidesNumber,
  username: account.username,
  usernameKey: account.usernameKey,
  linkedDevices: linkedDevices(account),
  tokens: { required: tokens.required, carried: tokens.carried },
  behaviour,
  linkAsked: hub.linkAsked(account.number),
  passkeyCode,
  counters,
});

const usernameKey: Field<string> = (value, name) => {
  if (typeof value !== 'string' || !isUsernameKey(value)) throw badRequest(`${name} must be a string of 4 digits`);
  return value;
};

const changeUsername = ({ hub }: Network, { account }: Phone, given: string | null): void => {
  const username = given?.replace(/^@/, '') ?? null;
  if (username !== null && !isUsername(username)) throw badRequest('the network gives no such username');
  const holder = username === null ? null : hub.state.registry.named(username);
  if (holder !== null && holder !== account) throw conflict('somebody else has this username');
  hub.setUsername(account, username);
};

const changePhone = async (network: Network, phone: Phone, body: unknown): Promise<object> => {
  const given = readFields(body, {
    online: optional(flag),
    deliverReceipts: optional(flag),
    readReceipts: optional(flag),
    blockedBy: optional(list(phoneNumber, 0, 1_000)),
    linking: optional(oneOf('plain', 'refresh', 'passkey')),
    migrated: optional(flag),
    migrationTold: optional(list(oneOf(...MIGRATION_NEWS), 0, MIGRATION_NEWS.length)),
    business: optional(flag),
    hidesNumber: optional(flag),
    username: unless(optional(text(35, 3))),
    usernameKey: unless(optional(usernameKey)),
    name: optional(text(100)),
    requiresToken: optional(flag),
  });
  if (given.migrationTold !== null) phone.account.migrationTold = [...new Set(given.migrationTold)];
  if (given.requiresToken !== null) phone.tokens.required = given.requiresToken;
  if (given.name !== null) phone.rename(given.name);
  if (given.business !== null) phone.account.business = given.business;
  if (given.hidesNumber !== null) phone.account.hidesNumber = given.hidesNumber;
  if (given.username !== undefined) changeUsername(network, phone, given.username);
  if (given.usernameKey !== undefined) {
    if (given.usernameKey !== null && phone.account.username === null) throw conflict('the phone has no username');
    phone.account.usernameKey = given.usernameKey;
  }
  if (given.migrated !== null) await phone.migrate(given.migrated);
  phone.behave({
    ...(given.online !== null && { online: given.online }),
    ...(given.deliverReceipts !== null && { deliverReceipts: given.deliverReceipts }),
    ...(given.readReceipts !== null && { readReceipts: given.readReceipts }),
    ...(given.blockedBy !== null && { blockedBy: given.blockedBy }),
    ...(given.linking !== null && { linking: given.linking }),
  });
  return { phone: phoneJson(network, phone) };
};

export const phoneRoutes = (network: Network): Routes => ({
  'POST /phones': ({ body }) => {
    const { number, name } = readFields(body, { number: phoneNumber, name: optional(text(100)) });
    if (network.phones.find(number) !== null) throw conflict(`there is a phone ${number} already`);
    return { phone: phoneJson(network, network.phones.create(number, name ?? `Phone ${number}`)) };
  },
  'GET /phones': () => ({ phones: network.phones.all().map((phone) => phoneJson(network, phone)) }),
  'GET /phones/{number}': ({ params }) => ({ phone: phoneJson(network, phoneOf(network, params['number'])) }),
  'PATCH /phones/{number}': ({ params, body }) => changePhone(network, phoneOf(network, params['number']), body),
  'DELETE /phones/{number}/linked-devices/{device}': ({ params }) => {
    const phone = phoneOf(network, params['number']);
    if (!phone.unlink(Number(params['device']))) throw notFound(`there is no linked device ${params['device']}`);
    return { phone: phoneJson(network, phone) };
  },
  'POST /phones/{number}/lose-sessions': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    readNothing(body);
    phone.loseSessions();
    return { phone: phoneJson(network, phone) };
  },
  'POST /phones/{number}/new-lid': ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    readNothing(body);
    phone.renewLid();
    return { phone: phoneJson(network, phone) };
  },
  'POST /phones/{number}/reinstall': async ({ params, body }) => {
    const phone = phoneOf(network, params['number']);
    readNothing(body);
    await phone.reinstall();
    return { phone: phoneJson(network, phone) };
  },
});
