/** The session of a device: its account, QR, passkey and limits (docs/spec/devices.md, Session, QR and Limits). */
import { answer, members, oneOf, nullableText } from '../build.ts';
import { SessionSchema, LimitsSchema, PasskeySchema, CredentialSchema } from '../schemas/devices/session.ts';
import { changes, declare, reads } from '../operation.ts';
import { Type } from 'typebox';
import { pageParameters, nextCursor } from '../schemas/page.ts';

export const getSession = declare({
  id: 'getSession',
  path: '/devices/{id}/session',
  command: null,
  client: 'devices.session',
  ...reads('0.1.0'),
  tag: 'Devices',
  summary: 'Retrieve the linked account and the state of its session',
  description:
    'Says in detail what `status` of the device sums up: the state, the account, and what is wrong with what to do about it.',
  answer: answer({ session: SessionSchema }),
});

export const types = { png: 'image/png', svg: 'image/svg+xml', text: 'text/plain' } as const;

export const formats = ['png', 'svg', 'text'] as const;

export const getQr = declare({
  id: 'getQr',
  path: '/devices/{id}/qr',
  command: 'device qr <device>',
  client: 'devices.qr',
  ...reads('0.1.0'),
  tag: 'Devices',
  summary: 'Retrieve the QR as an image or text',
  description: '`format` or the `Accept` header selects PNG (the default), SVG or text. 404 if there is no QR.',
  query: members({
    format: Type.Optional(oneOf(formats, { errorMessage: 'must be png, svg or text' })),
  }),
  otherContent: Object.values(types).map((type) => ({ type, description: 'The QR' })),
  errors: ['formatRule', 'qrNotFound'],
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

export const listAccounts = declare({
  id: 'listAccounts',
  path: '/accounts',
  command: 'account list',
  client: 'devices.accounts',
  ...reads('0.3.0'),
  tag: 'Devices',
  summary: 'List the linked accounts of all devices',
  description: 'In the order of the devices. Devices without an account are left out, so a page may be short.',
  query: members(pageParameters),
  answer: answer({ accounts: Type.Array(LinkedAccountSchema), nextCursor }),
});

export const getLimits = declare({
  id: 'getLimits',
  path: '/devices/{id}/limits',
  command: 'limits <device>',
  client: 'devices.limits',
  tool: {
    name: 'get_limits',
    description:
      'What restricts the account of a device: a ban, a time lock, how many new chats are left, and what to do',
  },
  ...reads('0.3.0'),
  tag: 'Devices',
  summary: 'Retrieve what restricts the account',
  description:
    'What the network says (a temporary ban, a time lock, a cap of new chats) and the device’s own limit (`newChatsPerDay` of its settings). Of the two limits on new chats, the stricter one is shown.',
  answer: answer({ limits: LimitsSchema }),
});

export const getPasskey = declare({
  id: 'getPasskey',
  path: '/devices/{id}/passkey',
  command: 'device passkey <device>',
  client: 'devices.passkey',
  ...reads('0.1.0', 'manage'),
  tag: 'Devices',
  summary: 'Retrieve the passkey that the network asks for',
  description: 'While the session is in the state `passkey_required`; otherwise 404.',
  answer: answer({ passkey: PasskeySchema }),
  atOwner: true,
  errors: ['passkeyNotFound'],
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

export const respondToPasskey = declare({
  id: 'respondToPasskey',
  method: 'POST',
  path: '/devices/{id}/passkey/response',
  command: 'device passkey <device>',
  client: null,
  ...changes('0.1.0', 'manage'),
  tag: 'Devices',
  summary: 'Submit the passkey credential',
  description:
    'The credential from `navigator.credentials.get`, as `toJSON()` returns it. The one-time token of `GET …/passkey` works in place of an API key, from any page. 400 with the reason of the network when it refuses the credential; then get the options again.',
  body: { schema: CredentialSchema, examples: { credential: example } },
  answer: answer({}),
  atOwner: true,
  oneTimeToken: true,
  errors: ['noPasskeyExpected'],
});

export const confirmPasskey = declare({
  id: 'confirmPasskey',
  method: 'POST',
  path: '/devices/{id}/passkey/confirm',
  command: 'device passkey <device>',
  client: 'devices.confirmPasskey',
  ...changes('0.1.0', 'manage'),
  tag: 'Devices',
  summary: 'Confirm that the codes match',
  description: 'Only in the step `confirm`; otherwise 409.',
  answer: answer({}),
  atOwner: true,
  errors: ['noCode'],
});
