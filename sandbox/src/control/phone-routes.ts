/** Phones: making, linking, behaving. */
import type { Phone } from '../phones/phone.ts';
import { type Account, MIGRATION_NEWS } from '../base/types.ts';
import { conflict, notFound } from '../base/errors.ts';
import { flag, list, oneOf, optional, phoneNumber, readFields, readNothing, text } from '../base/fields.ts';
import { linkedDevice } from './linking-routes.ts';
import { type Network, phoneOf } from './network.ts';
import type { Routes } from './router.ts';

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
  linkedDevices: linkedDevices(account),
  tokens: { required: tokens.required, carried: tokens.carried },
  behaviour,
  linkAsked: hub.linkAsked(account.number),
  passkeyCode,
  counters,
});

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
    name: optional(text(100)),
    requiresToken: optional(flag),
  });
  if (given.migrationTold !== null) phone.account.migrationTold = [...new Set(given.migrationTold)];
  if (given.requiresToken !== null) phone.tokens.required = given.requiresToken;
  if (given.name !== null) phone.rename(given.name);
  if (given.business !== null) phone.account.business = given.business;
  if (given.hidesNumber !== null) phone.account.hidesNumber = given.hidesNumber;
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
