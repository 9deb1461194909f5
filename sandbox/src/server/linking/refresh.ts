/** `companion_reg_refresh`: after a scan the network may want the QR shown anew, with another secret. */
import type { BinaryNode } from 'baileys';
import type { PhoneIdentity } from '../../base/types.ts';
import type { Candidate } from './candidate.ts';
import { seconds } from '../state/clock.ts';
import { element, SERVER } from '../../base/nodes.ts';
import type { HubState } from '../state/state.ts';

export const notify = (hub: HubState, candidate: Candidate, type: string, content: BinaryNode): void =>
  candidate.client.send(
    element('notification', { id: hub.nextId(), from: SERVER, type, t: seconds(hub.clock) }, [content]),
  );

/** The child of the notification, or null when no new QR is wanted of this connection. */
const wantedForm = (hub: HubState, candidate: Candidate, phone: PhoneIdentity): string | null => {
  if (candidate.retiredSecret !== null) return null;
  if (hub.faults.rotateQr !== null) return hub.faults.rotateQr;
  return phone.linking === 'refresh' ? 'companion_reg_refresh' : null;
};

const ask = (hub: HubState, candidate: Candidate, form: string): void =>
  notify(hub, candidate, 'companion_reg_refresh', element(form));

/**
 * Retires the secret in the QR that was scanned: the client is to show its current ref with a new one. Only the QR
 * with the new secret completes.
 */
export const rotateQr = (hub: HubState, candidate: Candidate, phone: PhoneIdentity, advSecret: Uint8Array): void => {
  const secret = Buffer.from(advSecret).toString('base64');
  if (candidate.retiredSecret === secret) throw new Error('this QR has been replaced: scan the one that is shown now');
  const form = wantedForm(hub, candidate, phone);
  if (form === null) return;
  candidate.retiredSecret = secret;
  ask(hub, candidate, form);
  throw new Error('the network has asked for a new QR: scan the one that is shown now');
};

/** Asks for a new QR in the middle of a link by code, which goes on with the secret that it has agreed on. */
export const rotateQrMeanwhile = (hub: HubState, candidate: Candidate, phone: PhoneIdentity): void => {
  const form = wantedForm(hub, candidate, phone);
  if (form === null) return;
  candidate.retiredSecret = 'unknown';
  ask(hub, candidate, form);
};
