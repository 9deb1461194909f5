/** The session of a device: its account, QR, passkey and limits (docs/spec/devices.md, Session, QR and Limits). */
import { operation } from '../wire/operation.ts';
import { answer, members, nullableText, ok, oneOf } from '../wire/build.ts';
import { SessionSchema, LimitsSchema, limitsView } from '../schemas/devices/session.ts';
import { Type } from 'typebox';
import { preferredType } from '../wire/headers.ts';
import { qrPng, qrSvg, qrText } from '../wire/qr.ts';
import { nextCursor, pageOf, pageParameters } from '../schemas/page.ts';
import type { FastifyRequest } from 'fastify';
import { originOf } from '../forwarding/forward.ts';
import type { Parts } from '../wire/parts.ts';
import { CredentialSchema, PasskeySchema, passkeyView } from '../schemas/devices/passkey.ts';

export const getSession = operation({
  id: 'getSession',
  method: 'GET',
  path: '/devices/{id}/session',
  tag: 'Devices',
  summary: 'Retrieve the linked account and the state of its session',
  answer: answer({ session: SessionSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope, deviceId }) {
    const session = await parts.devices.session(scope);
    return { session, status: ok(`Session of device ${deviceId} retrieved`) };
  },
});

const types = { png: 'image/png', svg: 'image/svg+xml', text: 'text/plain' } as const;
const formats = ['png', 'svg', 'text'] as const;

const formatFor = (accept: string | undefined): (typeof formats)[number] => {
  const wanted = preferredType(accept, Object.values(types));
  return formats.find((format) => types[format] === wanted) ?? 'png';
};

export const getQr = operation({
  id: 'getQr',
  method: 'GET',
  path: '/devices/{id}/qr',
  tag: 'Devices',
  summary: 'Retrieve the QR as an image or text',
  description: '`format` or the `Accept` header selects PNG (the default), SVG or text. 404 if there is no QR.',
  query: members({
    format: Type.Optional(oneOf(formats, { errorMessage: 'must be png, svg or text' })),
  }),
  otherContent: Object.values(types).map((type) => ({ type, description: 'The QR' })),
  errors: [400, 401, 404, 408, 429, 500],
  async run({ parts, scope, query, request, reply }) {
    const text = await parts.devices.qrText(scope);
    const format = query.format ?? formatFor(request.headers.accept);
    reply.header('vary', 'accept');
    if (format === 'png') return reply.type(types.png).send(qrPng(text));
    if (format === 'text') return reply.type(`${types.text}; charset=utf-8`).send(`${qrText(text)}\n`);
    return reply
      .type(types.svg)
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
      .send(await qrSvg(text));
  },
});

const LinkedAccountSchema = Type.Object(
  {
    deviceId: Type.Integer(),
    phoneNumber: Type.String(),
    jid: Type.String(),
    lid: nullableText(),
    name: nullableText({ description: 'Name that the account shows to others' }),
    platform: nullableText(),
  },
  { title: 'LinkedAccount' },
);

export const listAccounts = operation({
  id: 'listAccounts',
  method: 'GET',
  path: '/accounts',
  tag: 'Devices',
  summary: 'List the linked accounts of all devices',
  description: 'In the order of the devices. Devices without an account are left out, so a page may be short.',
  query: members(pageParameters),
  answer: answer({ accounts: Type.Array(LinkedAccountSchema), nextCursor }),
  errors: [400, 401, 408, 429, 500],
  async run({ parts, caller: { user }, query }) {
    const { items, nextCursor: next } = await parts.stores.devices.list(user.id, pageOf(query));
    const accounts = items.flatMap(({ id, account }) => (account === null ? [] : [{ deviceId: id, ...account }]));
    return { accounts, nextCursor: next, status: ok('Accounts listed') };
  },
});

export const getLimits = operation({
  id: 'getLimits',
  method: 'GET',
  path: '/devices/{id}/limits',
  tag: 'Devices',
  summary: 'Retrieve what restricts the account',
  description:
    'What the network says (a temporary ban, a time lock, a cap of new chats) and the own ceiling of the device, `newChatsPerDay` of its settings. Of the cap and the ceiling, the one that leaves fewer new chats is shown.',
  answer: answer({ limits: LimitsSchema }),
  errors: [401, 404, 408, 429, 500],
  async run({ parts, scope, deviceId }) {
    const limits = await parts.devices.limits(scope);
    return { limits: limitsView(limits), status: ok(`Limits of device ${deviceId} retrieved`) };
  },
});

/** The public URL, or the origin that this caller used. */
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
  async run({ parts, scope, deviceId, request }) {
    const view = await parts.devices.passkeys.get(scope);
    const responseUrl = `${baseOf(parts, request)}/devices/${deviceId}/passkey/response`;
    return { passkey: passkeyView(view, responseUrl), status: ok(`Passkey of device ${deviceId} retrieved`) };
  },
});

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
  async run({ parts, caller, scope, deviceId, body }) {
    const { passkeys } = parts.devices;
    if (caller.key === null) passkeys.spend(scope, caller.secret);
    const { id, rawId, type, response } = body;
    const { userHandle = null } = response;
    await passkeys.respond(scope, { id, rawId, type, response: { ...response, userHandle } });
    return { status: ok(`Passkey response of device ${deviceId} taken; the phone completes the linking`) };
  },
});

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
  async run({ parts, scope, deviceId }) {
    await parts.devices.passkeys.confirm(scope);
    return { status: ok(`Passkey of device ${deviceId} confirmed`) };
  },
});
