/** The session of a device (docs/spec/devices.md, Session). */
import { Type } from 'typebox';
import type { PasskeyOptions } from '../../../domain/passkey.ts';
import { nullableTimestamp, nullableText, nullableInteger, oneOf, timestamp, nullable, members } from '../../build.ts';

export const LimitsSchema = Type.Object(
  {
    restrictedUntil: nullableTimestamp(
      'When the restriction ends; null if nothing is restricted, or the network did not say',
    ),
    reason: nullableText({ description: 'What is restricted and what to do about it; null while nothing is' }),
    newChats: Type.Object(
      {
        used: nullableInteger({ description: 'New chats started in this period; null if unknown' }),
        limit: nullableInteger({ description: 'New chats allowed in this period; null: no limit is known' }),
        resetsAt: nullableTimestamp('When the next period begins'),
      },
      { title: 'NewChats' },
    ),
  },
  { title: 'Limits' },
);

const BacklogSchema = Type.Object(
  {
    state: oneOf(['receiving', 'complete', 'stalled'], {
      description: '`stalled`: nothing arrived for 60 s, though the network has not reported the end',
    }),
    announced: nullableInteger({
      description: 'Stanzas that the network announced, an estimate; null: none announced',
    }),
    requested: Type.Integer({
      description: 'Stanzas requested so far, 200 at a time, so it can exceed the number that exist',
    }),
    received: Type.Integer({ description: 'Stanzas received so far: messages, receipts, notices and calls' }),
    startedAt: timestamp('When it began'),
    completedAt: nullableTimestamp('When the network reported that it had sent everything; null before'),
  },
  {
    title: 'Backlog',
    description:
      'What waited at the network while the device was away. Null while the session is not open, and before the network has told of it',
  },
);

export const SessionSchema = Type.Object(
  {
    state: oneOf(['connecting', 'pairing', 'passkey_required', 'open', 'reconnecting', 'closed']),
    reason: nullableText({ description: 'What is wrong and what to do about it; null while all is well' }),
    phoneNumber: nullableText({ description: 'Phone number of the linked account; null if there is none' }),
    jid: nullableText(),
    lid: nullableText(),
    name: nullableText(),
    platform: nullableText(),
    pairingCode: nullableText({ description: '8 characters; show them as `ABCD-EFGH`' }),
    pairingCodeExpiresAt: nullableTimestamp('When the pairing code expires'),
    qrExpiresAt: nullableTimestamp('When the QR is replaced by the next one; null while there is none'),
    lastSeenAt: nullableTimestamp('When the session was last open'),
    reconnects: Type.Integer({ description: 'Reconnections since the service started' }),
    backlog: nullable(BacklogSchema),
  },
  { title: 'Session' },
);

const OptionsSchema = Type.Unsafe<PasskeyOptions>({
  type: 'object',
  required: ['challenge', 'rpId'],
  properties: {
    challenge: { type: 'string', description: 'base64url' },
    rpId: { type: 'string' },
    timeout: { type: 'integer', description: 'ms' },
    allowCredentials: { type: 'array', items: { type: 'object' } },
    userVerification: { type: 'string' },
    extensions: { type: 'object' },
  },
  description:
    'WebAuthn request options for `PublicKeyCredential.parseRequestOptionsFromJSON` and `navigator.credentials.get`',
});

export const PasskeySchema = Type.Object(
  {
    step: oneOf(['response', 'phone', 'confirm'], {
      description:
        '`response`: waits for a credential; `phone`: the phone continues by itself; `confirm`: a person compares the code',
    }),
    next: Type.String({ description: 'The next step, for people' }),
    options: nullable(OptionsSchema),
    origin: Type.String({ description: 'The only origin on which the passkey works' }),
    refusal: nullableText({ description: 'Reason of the network, if it refused the last credential' }),
    code: nullableText({ description: 'Compare it with the code on the phone before `POST …/passkey/confirm`' }),
    handOffUntil: nullableTimestamp('A response until then needs no code to compare'),
    expiresAt: timestamp('When the network gives up'),
    responseUrl: nullableText({ description: 'URL to submit the credential to' }),
    token: nullableText({
      description: 'Authorizes one response of this device in place of an API key: `Authorization: Bearer hsp_…`',
    }),
    tokenExpiresAt: nullableTimestamp('When the token expires'),
    link: nullableText({
      description: 'Opens the page on which the browser extension asks for the passkey and sends it here',
    }),
  },
  { title: 'Passkey' },
);

const base64url = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description: 'base64url',
  errorMessage: 'must be a string of base64url',
});

export const CredentialSchema = members(
  {
    id: base64url,
    rawId: base64url,
    type: oneOf(['public-key'], { errorMessage: 'must be public-key' }),
    response: Type.Object(
      {
        clientDataJSON: base64url,
        authenticatorData: base64url,
        signature: base64url,
        userHandle: Type.Optional(nullableText({ description: 'base64url' })),
      },
      { errorMessage: 'must have clientDataJSON, authenticatorData and signature, each a string of base64url' },
    ),
    authenticatorAttachment: Type.Optional(nullableText({ errorMessage: 'must be a string' })),
    clientExtensionResults: Type.Optional(Type.Unsafe<object>({ type: 'object', errorMessage: 'must be an object' })),
  },
  { title: 'PasskeyCredential', description: 'As returned by `credential.toJSON()`' },
);
