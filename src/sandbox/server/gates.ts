/** What the network may put between a scan and a link: a rotated QR, and a passkey. */
import { randomBytes } from 'node:crypto';

import type { BinaryNode } from 'baileys';

import type { Candidate } from './candidate.ts';
import { seconds } from './clock.ts';
import { element, errorOf, resultOf, SERVER } from './nodes.ts';
import type { HubState } from './state.ts';

const notify = (hub: HubState, candidate: Candidate, type: string, content: BinaryNode): void =>
  candidate.client.send(
    element('notification', { id: hub.nextId(), from: SERVER, type, t: seconds(hub.clock) }, [content]),
  );

/**
 * Retires the secret in the QR that was scanned: the client is to show its current ref with a new one. Only the QR
 * with the new secret completes.
 */
export const rotateQr = (hub: HubState, candidate: Candidate, advSecret: Uint8Array): void => {
  const secret = Buffer.from(advSecret).toString('base64');
  if (candidate.retiredSecret === secret) throw new Error('this QR has been replaced: scan the one that is shown now');
  if (!hub.faults.rotateQr || candidate.retiredSecret !== null) return;
  candidate.retiredSecret = secret;
  notify(hub, candidate, 'companion_reg_refresh', element('companion_reg_refresh'));
  throw new Error('the network has asked for a new QR: scan the one that is shown now');
};

const PASSKEY_TIMEOUT_MS = 600_000;

/** WebAuthn request options, as UTF-8 JSON. */
const passkeyOptions = (): BinaryNode =>
  element(
    'passkey_request_options',
    {},
    Buffer.from(
      JSON.stringify({
        challenge: randomBytes(32).toString('base64url'),
        timeout: PASSKEY_TIMEOUT_MS,
        rpId: 'whatsapp.com',
        allowCredentials: [],
        userVerification: 'required',
        extensions: {},
      }),
    ),
  );

/** There is no passkey in the sandbox: a link that meets this gate ends here. */
export const askForPasskey = (hub: HubState, candidate: Candidate): void => {
  if (!hub.faults.passkeyGate) return;
  notify(hub, candidate, 'passkey_prologue_request', passkeyOptions());
  throw new Error('the network asks for a passkey before it links this client');
};

/** The same options, asked for. */
export const answerPasskeyQuery = (hub: HubState, iq: BinaryNode): BinaryNode =>
  hub.faults.passkeyGate ? resultOf(iq, [passkeyOptions()]) : errorOf(iq, 404, 'item-not-found');
