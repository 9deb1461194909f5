/** The WebAuthn request options of the network, and whether a credential answers them. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import type { PasskeyCredential, PasskeyOptions } from '../../domain/passkey.ts';
import { invalidRequest } from '../../errors.ts';
import { ask, leaf, textOf } from './stanzas.ts';

const tag = 'passkey_request_options';
/** No ceremony takes longer than this, whatever the options say. */
const longestMs = 600_000;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOptions = (value: unknown): value is PasskeyOptions =>
  isObject(value) && typeof value.challenge === 'string' && typeof value.rpId === 'string';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Null when the stanza carries none that can be read. */
const optionsIn = (node: BinaryNode): PasskeyOptions | null => {
  const value = parse(textOf(node, tag) ?? '');
  return isOptions(value) ? value : null;
};

/** Those of the notification, or else asked for. Throws when the network gives none. */
export const passkeyOptions = async (sock: WASocket, notification: BinaryNode | null): Promise<PasskeyOptions> => {
  const told = notification === null ? null : optionsIn(notification);
  const options = told ?? optionsIn(await ask(sock, 'get', leaf(tag)));
  if (options === null) throw new Error('the network asks for a passkey in a form that is not known here');
  return options;
};

export const lifetimeOf = ({ timeout }: PasskeyOptions): number =>
  typeof timeout === 'number' && timeout > 0 ? Math.min(timeout, longestMs) : longestMs;

const base64url = /^[\w-]+={0,2}$/;

const bytesIn = (text: string): Buffer | null => (base64url.test(text) ? Buffer.from(text, 'base64url') : null);

/** Throws InvalidRequest, naming the member, for what the network could only refuse. */
export const checkCredential = ({ rawId, response }: PasskeyCredential, options: PasskeyOptions): void => {
  const { clientDataJSON, authenticatorData, signature } = response;
  for (const [name, text] of Object.entries({ rawId, clientDataJSON, authenticatorData, signature })) {
    if (bytesIn(text) === null) throw invalidRequest(`credential: ${name} must be base64url`);
  }
  const data = parse(Buffer.from(clientDataJSON, 'base64url').toString());
  if (!isObject(data) || data.type !== 'webauthn.get') {
    throw invalidRequest('credential: clientDataJSON must be of the type webauthn.get');
  }
  const given = typeof data.challenge === 'string' ? bytesIn(data.challenge) : null;
  const wanted = Buffer.from(options.challenge, 'base64url');
  if (given === null || !given.equals(wanted)) {
    throw invalidRequest('credential: it answers another challenge; get the passkey options again');
  }
};

/** The members that the network reads, in the order in which its own client writes them. */
export const assertionJson = ({ id, rawId, type, response }: PasskeyCredential): string => {
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return JSON.stringify({ id, rawId, type, response: { clientDataJSON, authenticatorData, signature, userHandle } });
};
