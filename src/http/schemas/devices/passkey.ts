/** Linking behind a passkey: what the network asks for, and what the browser answers. */
import { Type } from 'typebox';
import { type Passkey, type PasskeyOptions, passkeyOrigin } from '../../../domain/passkey.ts';
import type { PasskeyView } from '../../../service/devices/passkey.ts';
import { members, nullable, nullableText, nullableTimestamp, oneOf, timestamp } from '../../wire/build.ts';
import { iso } from '../messages/message.ts';

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
        '`response`: a credential is waited for; `phone`: the phone goes on by itself; `confirm`: a person compares the code',
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
    tokenExpiresAt: nullableTimestamp('When the token stops to work'),
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

const next: Readonly<Record<Passkey['step'], string>> = {
  response: `Call navigator.credentials.get with the options on ${passkeyOrigin} (the browser extension does it: open the link), and post the credential to responseUrl.`,
  phone: 'Wait: the phone and the network complete the linking. connection.open follows.',
  confirm: 'Compare the code with the one on the phone. When they are the same, post to passkey/confirm.',
};

/** For the extension: all it needs, in the fragment, which browsers send to no server. */
const linkOf = (options: PasskeyOptions, url: string, token: string): string => {
  const ticket = Buffer.from(JSON.stringify({ options, url, token })).toString('base64url');
  return `${passkeyOrigin}/#handset=${ticket}`;
};

export const passkeyView = ({ passkey, token }: PasskeyView, responseUrl: string) => {
  const asked = passkey.step === 'response' ? passkey : null;
  return {
    step: passkey.step,
    next: next[passkey.step],
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
