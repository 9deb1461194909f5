/** The session of a device: its account, QR, passkey and limits (docs/spec/devices.md, Session, QR and Limits). */
import * as declared from '../../contract/operations/sessions.ts';
import { ok } from '../wire/values.ts';
import { handle } from '../wire/operation.ts';
import { formats, types } from '../../contract/operations/sessions.ts';
import { preferredType } from '../wire/headers.ts';
import { qrPng, qrText, qrSvg } from '../wire/qr.ts';
import { pageOf } from '../views/page.ts';
import { iso, isoOrNull } from '../../domain/event-view.ts';
import { type Passkey, passkeyOrigin, type PasskeyOptions } from '../../domain/passkey.ts';
import type { LimitsView } from '../../service/devices/view.ts';
import type { Services } from '../wire/services.ts';
import type { FastifyRequest } from 'fastify';
import { originOf } from '../forwarding/forward.ts';
import type { PasskeyView } from '../../service/devices/passkey.ts';

const limitsView = ({ restrictedUntil, reason, newChats }: LimitsView) => ({
  restrictedUntil: isoOrNull(restrictedUntil),
  reason,
  newChats: { used: newChats.used, limit: newChats.limit, resetsAt: isoOrNull(newChats.resetsAt) },
});

const nextActs: Readonly<Record<Passkey['step'], string>> = {
  response: `Call navigator.credentials.get with the options on ${passkeyOrigin} (the browser extension does it: open the link), and post the credential to responseUrl.`,
  phone: 'Wait: the phone and the network complete the linking. connection.open follows.',
  confirm: 'Compare the code with the one on the phone. When they are the same, post to passkey/confirm.',
};

/** For the browser extension: all it needs, in the fragment, which is never sent to a server. */
const linkOf = (options: PasskeyOptions, url: string, token: string): string => {
  const ticket = Buffer.from(JSON.stringify({ options, url, token })).toString('base64url');
  return `${passkeyOrigin}/#handset=${ticket}`;
};

const passkeyView = ({ passkey, token }: PasskeyView, responseUrl: string) => {
  const asked = passkey.step === 'response' ? passkey : null;
  return {
    step: passkey.step,
    next: nextActs[passkey.step],
    options: asked?.options ?? null,
    origin: passkeyOrigin,
    refusal: asked?.refusal ?? null,
    code: passkey.step === 'confirm' ? passkey.code : null,
    handOffUntil: asked === null ? null : iso(asked.handOffUntil),
    expiresAt: iso(passkey.expiresAt),
    responseUrl: asked === null ? null : responseUrl,
    token: token?.secret ?? null,
    tokenExpiresAt: token === null ? null : iso(token.expiresAt),
    link: asked === null || token === null ? null : linkOf(asked.options, responseUrl, token.secret),
  };
};

export const getSession = handle(declared.getSession, async ({ services, scope, deviceId }) => {
  const session = await services.devices.session(scope);
  return { session, status: ok(`Session of device ${deviceId} retrieved`) };
});

const formatFor = (accept: string | undefined): (typeof formats)[number] => {
  const wanted = preferredType(accept, Object.values(types));
  return formats.find((format) => types[format] === wanted) ?? 'png';
};

export const getQr = handle(declared.getQr, async ({ services, scope, query, request, reply }) => {
  const text = await services.devices.qrText(scope);
  const format = query.format ?? formatFor(request.headers.accept);
  reply.header('vary', 'accept');
  if (format === 'png') return reply.type(types.png).send(qrPng(text));
  if (format === 'text') return reply.type(`${types.text}; charset=utf-8`).send(`${qrText(text)}\n`);
  return reply
    .type(types.svg)
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .send(await qrSvg(text));
});

export const listAccounts = handle(declared.listAccounts, async ({ services, caller: { user, key }, query }) => {
  const { items, nextCursor: next } = await services.stores.devices.list(user.id, pageOf(query), key?.devices);
  const accounts = items.flatMap(({ id, account }) => (account === null ? [] : [{ deviceId: id, ...account }]));
  return { accounts, nextCursor: next, status: ok('Accounts listed') };
});

export const getLimits = handle(declared.getLimits, async ({ services, scope, deviceId }) => {
  const limits = await services.devices.limits(scope);
  return { limits: limitsView(limits), status: ok(`Limits of device ${deviceId} retrieved`) };
});

const baseOf = (services: Services, request: FastifyRequest): string =>
  `${services.options.publicUrl ?? originOf(request)}/v1`;

export const getPasskey = handle(declared.getPasskey, async ({ services, scope, deviceId, request }) => {
  const view = await services.devices.passkeys.get(scope);
  const responseUrl = `${baseOf(services, request)}/devices/${deviceId}/passkey/response`;
  return { passkey: passkeyView(view, responseUrl), status: ok(`Passkey of device ${deviceId} retrieved`) };
});

export const respondToPasskey = handle(
  declared.respondToPasskey,
  async ({ services, caller, scope, deviceId, body }) => {
    const { passkeys } = services.devices;
    if (caller.key === null) passkeys.spend(scope, caller.secret);
    const { id, rawId, type, response } = body;
    const { userHandle = null } = response;
    await passkeys.respond(scope, { id, rawId, type, response: { ...response, userHandle } });
    return { status: ok(`Passkey response of device ${deviceId} taken; the phone completes the linking`) };
  },
);

export const confirmPasskey = handle(declared.confirmPasskey, async ({ services, scope, deviceId }) => {
  await services.devices.passkeys.confirm(scope);
  return { status: ok(`Passkey of device ${deviceId} confirmed`) };
});
