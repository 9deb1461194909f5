/** Linking a companion to an account: the phone vouches for it, the server takes it in. */
import type { BinaryNode } from 'baileys';
import type { PhoneIdentity, Account, Device } from '../../base/types.ts';
import { type Candidate, ask, type PairingRegistry, notify } from './candidate.ts';
import type { HubState } from '../state/state.ts';
import { seconds } from '../../base/clock.ts';
import { element, SERVER, bytesOf, childOf, sameBytes } from '../../base/nodes.ts';
import { PasskeyAsked, askForPasskey } from './passkey.ts';
import { isSignedByCompanion, signKeyIndexList, vouchFor } from './adv.ts';
import { makeDevice } from '../accounts/accounts.ts';
import { clientProps } from '../accounts/properties.ts';
import { notLinkable, type Faults } from '../state/faults.ts';
import { deviceJid } from '../accounts/jid.ts';
import { announceDevice } from '../messages/notifications.ts';

const wantedForm = (hub: HubState, candidate: Candidate, phone: PhoneIdentity): string | null => {
  if (candidate.retiredSecret !== null) return null;
  if (hub.faults.rotateQr !== null) return hub.faults.rotateQr;
  return phone.linking === 'refresh' ? 'companion_reg_refresh' : null;
};

const askForQr = (hub: HubState, candidate: Candidate, form: string): void =>
  notify(hub, candidate, 'companion_reg_refresh', element(form));

/** Retires the scanned QR's secret (`companion_reg_refresh`): the client must show its current ref with a new one, and only that links. */
const rotateQr = (hub: HubState, candidate: Candidate, phone: PhoneIdentity, advSecret: Uint8Array): void => {
  const secret = Buffer.from(advSecret).toString('base64');
  if (candidate.retiredSecret === secret) throw new Error('this QR has been replaced: scan the one that is shown now');
  const form = wantedForm(hub, candidate, phone);
  if (form === null) return;
  candidate.retiredSecret = secret;
  askForQr(hub, candidate, form);
  throw new Error('the network has asked for a new QR: scan the one that is shown now');
};

/** Requests a new QR during a link by code, which continues with the agreed secret. */
export const rotateQrMeanwhile = (hub: HubState, candidate: Candidate, phone: PhoneIdentity): void => {
  const form = wantedForm(hub, candidate, phone);
  if (form === null) return;
  candidate.retiredSecret = 'unknown';
  askForQr(hub, candidate, form);
};

export interface ScannedQr {
  readonly ref: string;
  readonly noiseKey: Uint8Array;
  readonly identity: Uint8Array;
  readonly advSecret: Uint8Array;
}

const ANSWER_MS = 30_000;
/** Device ids fit in a byte, and 99 is reserved for hosted devices. */
const LAST_DEVICE_ID = 250;
const HOSTED_DEVICE_ID = 99;

/** A link with the fields in its fragment, or the fields alone. */
const parseQr = (text: string): ScannedQr => {
  const fields = text.slice(text.indexOf('#') + 1).split(',');
  const [ref, noise, identity, adv] = fields;
  if (ref === undefined || noise === undefined || identity === undefined || adv === undefined) {
    throw new Error('this is not the QR of a linked device');
  }
  const [noiseKey, identityKey, advSecret] = [noise, identity, adv].map((field) => Buffer.from(field, 'base64'));
  if (noiseKey?.length !== 32 || identityKey?.length !== 32 || advSecret?.length !== 32) {
    throw new Error('this is not the QR of a linked device');
  }
  return { ref, noiseKey, identity: identityKey, advSecret };
};

const freeDeviceId = (hub: HubState, phone: PhoneIdentity): number => {
  const { devices } = phone.account;
  const state = hub.registry.stateOf(phone.account);
  let id = state.nextDeviceId > LAST_DEVICE_ID ? 1 : state.nextDeviceId;
  while (devices.has(id) || id === HOSTED_DEVICE_ID) id += 1;
  state.nextDeviceId = id + 1;
  return id;
};

const signList = (hub: HubState, phone: PhoneIdentity): void => {
  const indexes = [...phone.account.devices.values()].map((device) => device.keyIndex);
  const list = signKeyIndexList(phone.identity, indexes, Math.floor(hub.clock.now() / 1000));
  hub.registry.stateOf(phone.account).keyIndexList = list;
};

const takeIn = (hub: HubState, candidate: Candidate, phone: PhoneIdentity, id: number): Device => {
  const { noiseKey, identity, registrationId, signedPreKey, platform } = candidate.registration;
  const device = makeDevice(phone.account, id, {
    keyIndex: id,
    linkedAt: hub.clock.now(),
    platform,
    noiseKey,
    keys: { registrationId, identity, signedPreKey, preKeys: new Map() },
  });
  phone.account.devices.set(id, device);
  signList(hub, phone);
  announceDevice(hub, device, 'add');
  return device;
};

type Break = NonNullable<Faults['breakPairing']>;

const breakOff = (hub: HubState, candidate: Candidate, at: Break): void => {
  if (hub.faults.breakPairing !== at) return;
  hub.faults = { ...hub.faults, breakPairing: null };
  candidate.client.close(at === 'restart' ? element('stream:error', { code: '515' }) : undefined);
  throw new Error('the connection ended in the middle of the link');
};

/** Business accounts only; a stock client learns its own name nowhere else without app state. */
const businessName = (hub: HubState, { name, business }: Account): BinaryNode[] =>
  business || hub.faults.addressing === 'lenient' ? [element('biz', { name })] : [];

/** Sends `pair-success`, checks the companion's signature, and ends the stream with 515, after which the companion logs in. */
export const complete = async (
  hub: HubState,
  candidate: Candidate,
  phone: PhoneIdentity,
  advSecret: Uint8Array,
): Promise<Device> => {
  breakOff(hub, candidate, 'scan');
  breakOff(hub, candidate, 'restart');
  const { account, identity: phoneIdentity } = phone;
  const companion = candidate.registration.identity;
  const id = freeDeviceId(hub, phone);
  const vouched = vouchFor(phoneIdentity, companion, advSecret, id, Math.floor(hub.clock.now() / 1000));
  const linked = { account, id };
  const success = element('iq', { from: SERVER, type: 'set', id: hub.nextId(), t: seconds(hub.clock), xmlns: 'md' }, [
    element('pair-success', {}, [
      element('device-identity', {}, vouched.sealed),
      ...businessName(hub, account),
      element('platform', { name: account.business ? 'smba' : 'android' }),
      element('device', { jid: deviceJid(linked, 'pn'), lid: deviceJid(linked, 'lid') }),
      ...clientProps(account),
    ]),
  ]);
  const reply = await ask(hub, candidate, success, ANSWER_MS, 'the client did not complete the link');
  breakOff(hub, candidate, 'sign');
  const error = reply.attrs.type === 'error' ? childOf(reply, 'error') : undefined;
  if (error !== undefined)
    throw new Error(`the client refused the link (${error.attrs.text ?? ''} ${error.attrs.code ?? ''})`);
  const answer = bytesOf(childOf(childOf(reply, 'pair-device-sign'), 'device-identity'));
  if (answer === null || !isSignedByCompanion(answer, vouched.details, companion, phoneIdentity.public)) {
    candidate.client.close(element('stream:error', { code: '500' }));
    throw new Error("the client's signature of the link is wrong");
  }
  const device = takeIn(hub, candidate, phone, id);
  candidate.state = 'linked';
  const silent = hub.faults.breakPairing === 'linked';
  if (silent) hub.faults = { ...hub.faults, breakPairing: null };
  candidate.client.close(silent ? undefined : element('stream:error', { code: '515' }));
  return device;
};

/** Refuses an outdated client without telling it; otherwise links, or first asks for the account's passkey (throws PasskeyAsked). */
export const link = async (
  hub: HubState,
  candidate: Candidate,
  phone: PhoneIdentity,
  advSecret: Uint8Array,
): Promise<Device> => {
  if (candidate.registration.revision < hub.faults.clientRevision.linkable) throw notLinkable();
  if (hub.faults.passkeyGate || phone.linking === 'passkey') askForPasskey(hub, candidate, phone, advSecret);
  return complete(hub, candidate, phone, advSecret);
};

export const claim = async <T>(candidate: Candidate, run: () => Promise<T>): Promise<T> => {
  if (candidate.state !== 'waiting') throw new Error('this connection is already being linked');
  candidate.state = 'pairing';
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PasskeyAsked)) candidate.state = 'waiting';
    throw error;
  }
};

export const pairByQr = async (
  hub: HubState,
  pairings: PairingRegistry,
  phone: PhoneIdentity,
  qrText: string,
): Promise<Device> => {
  const qr = parseQr(qrText);
  if (pairings.spent.has(qr.ref)) throw new Error('this QR is already used');
  const candidate = pairings.byRef.get(qr.ref);
  const expiresAt = candidate?.refs.get(qr.ref);
  if (candidate === undefined || expiresAt === undefined) {
    throw new Error('this QR is unknown: its connection has ended, or it is of another network');
  }
  if (hub.clock.now() >= expiresAt) throw new Error('this QR has expired');
  const { noiseKey, identity } = candidate.registration;
  if (!sameBytes(noiseKey, qr.noiseKey) || !sameBytes(identity, qr.identity)) {
    throw new Error('this QR does not belong to the connection that asked for it');
  }
  rotateQr(hub, candidate, phone, qr.advSecret);
  const device = await claim(candidate, () => link(hub, candidate, phone, qr.advSecret));
  for (const ref of candidate.refs.keys()) pairings.spent.add(ref);
  return device;
};
