/** Linking with a passkey: the network's request, and the browser's answer. */
import { Type } from 'typebox';
import type { PasskeyOptions } from '../../../domain/passkey.ts';
import { oneOf, nullable, nullableText, nullableTimestamp, timestamp, members } from '../../build.ts';

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
