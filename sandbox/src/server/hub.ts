/** The server without its transport: accounts, devices, and the stanzas between them. */
import { randomBytes } from 'node:crypto';
import type { BinaryNode } from 'baileys';
import type { Account, Client, Device, Hub, PhoneIdentity } from '../base/types.ts';
import { makeAccounts } from './accounts/accounts.ts';
import { attach, detach, type HubStats, statsOf } from './sessions.ts';
import { setBlocked } from './messages/block-list.ts';
import { routeCall } from './messages/calls.ts';
import {
  type Candidate,
  dismiss,
  type LinkAsked,
  linkAsked,
  newPairingRegistry,
  type PairingRegistry,
  type Registration,
  welcome,
} from './linking/candidate.ts';
import {
  Logins,
  newCounters,
  type HubState,
  sendNow,
  type Session,
  type StoreFile,
  type StorePicture,
} from './state/state.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Addressing, DEFAULT_ADDRESSING, type Faults, noFaults } from './state/faults.ts';
import { isStrict, wireJid } from './accounts/addressing.ts';
import { appStateIqs } from './iq/app-state.ts';
import { channelIqs } from './iq/channels.ts';
import { groupIqs } from './iq/groups/groups.ts';
import { prekeyIqs } from './iq/prekeys.ts';
import { pictureIqs } from './iq/pictures.ts';
import { profileIqs } from './iq/profile.ts';
import { sessionIqs } from './iq/session.ts';
import { orderIqs } from './iq/orders.ts';
import { answerIq, type IqTable } from './iq/table.ts';
import { usyncIqs } from './iq/usync.ts';
import { pairByCode, takeLinkCode } from './linking/link-code.ts';
import { beginLimits, noLimits } from './accounts/fault-times.ts';
import { announceTimeLock, loginFailure } from './messages/limits.ts';
import { setUsername } from './messages/username-news.ts';
import { announceExpiration } from './messages/expiration.ts';
import { routeMessage } from './messages/messages.ts';
import { childrenOf, element, errorOf, resultOf } from '../base/nodes.ts';
import { complete, pairByQr } from './linking/pairing.ts';
import { takePasskeyIq } from './linking/passkey.ts';
import { routeChatState, takePresence } from './messages/presence.ts';
import { deliver, takeAck, takeBulletin } from './messages/queue.ts';
import { routeReceipt } from './messages/receipts.ts';
import { refuseStatusStanza } from './messages/status.ts';
import { MediaAuths } from '../media/host.ts';
import type { Recorder } from '../base/recorder.ts';
import { type HubSnapshot, loadSnapshot, takeSnapshot } from './snapshot.ts';
import { loseTokens } from './messages/privacy-tokens.ts';
import { unlink } from './linking/adv.ts';

export interface Login {
  readonly number: string;
  readonly deviceId: number;
  readonly noiseKey: Uint8Array;
  /** It reports later that it is active, and gets its backlog only then. */
  readonly passive: boolean;
}

export interface ServerHub extends Hub {
  linkAsked(number: string): LinkAsked | null;
  readonly state: HubState;
  /** The device, or the `<failure>` that refuses it: 401 if the device does not exist or has another key. */
  login(login: Login, client: Client): Device | BinaryNode;
  register(registration: Registration, client: Client): Candidate;
  unregister(candidate: Candidate): void;
  receiveUnlinked(candidate: Candidate, node: BinaryNode): void;
  setFaults(faults: Partial<Faults>): Faults;
  clearFaults(): void;
  /** Of one account or all, with a stream error or without. Returns their number. */
  drop(number?: string, streamError?: number): number;
  /** Of one account or all, without closing them. Returns their number. */
  silence(number?: string): number;
  setUsername(account: Account, username: string | null): void;
  stats(): HubStats;
  snapshot(): HubSnapshot;
}

export interface HubOptions {
  readonly clock?: Clock;
  /** `host[:port]` of the media host. */
  readonly mediaHost: () => string;
  readonly mediaFallback?: () => string | null;
  readonly mediaAuths?: MediaAuths;
  readonly storeFile?: StoreFile;
  readonly storePicture?: StorePicture;
  readonly addressing?: Addressing;
  readonly record?: Recorder | undefined;
  readonly onError?: (error: unknown) => void;
}

const iqs: IqTable = {
  ...prekeyIqs,
  ...usyncIqs,
  ...profileIqs,
  ...pictureIqs,
  ...sessionIqs,
  ...groupIqs,
  ...channelIqs,
  ...appStateIqs,
  ...orderIqs,
};

const makeState = (options: HubOptions): HubState => {
  const { clock = systemClock, mediaHost, onError = () => {}, addressing = DEFAULT_ADDRESSING } = options;
  const { mediaFallback = () => null, mediaAuths = new MediaAuths() } = options;
  const { storeFile = () => Promise.resolve(null), storePicture = () => Promise.resolve(null) } = options;
  const usual: Faults = { ...noFaults, addressing };
  const prefix = randomBytes(4).readUInt32BE();
  let serial = 0;
  return {
    clock,
    mediaHost,
    mediaFallback,
    mediaAuths,
    storeFile,
    storePicture,
    onError,
    record: options.record,
    registry: makeAccounts(),
    sessions: new Map(),
    groups: new Map(),
    channels: new Map(),
    liveUpdates: new Map(),
    terms: new Map(),
    presenceWatchers: new Map(),
    toldPreKeysLow: new Set(),
    faults: usual,
    usual,
    limits: noLimits(),
    propertySets: new Map(),
    counters: newCounters(),
    logins: new Logins(),
    nextId: () => `${prefix}-${(serial += 1)}`,
  };
};

const receive = (hub: HubState, device: Device, node: BinaryNode): void => {
  switch (node.tag) {
    case 'message':
      return routeMessage(hub, device, node);
    case 'receipt':
      return routeReceipt(hub, device, node);
    case 'ack':
      return takeAck(hub, device, node);
    case 'iq': {
      if (node.attrs.type === 'result' || node.attrs.type === 'error') return;
      const answer = answerIq(iqs, hub, device, node);
      return answer === null ? undefined : sendNow(device, answer);
    }
    case 'call':
      return routeCall(hub, device, node);
    case 'presence':
      return takePresence(hub, device, node);
    case 'chatstate':
      return routeChatState(hub, device, node);
    case 'ib':
      return takeBulletin(hub, device, node);
    case 'status':
      return refuseStatusStanza(device, node);
    default:
      hub.counters.unknownStanzas += 1;
  }
};

const receiveUnlinked = (hub: HubState, candidate: Candidate, node: BinaryNode): void => {
  if (node.tag !== 'iq') return;
  const { type, xmlns, id = '' } = node.attrs;
  if (type === 'result' || type === 'error') return candidate.replies.get(id)?.(node);
  const linkCode = xmlns === 'md' && childrenOf(node)[0]?.tag === 'link_code_companion_reg';
  if (linkCode) return candidate.client.send(takeLinkCode(hub, candidate, node));
  const finish = (phone: PhoneIdentity, advSecret: Uint8Array) => complete(hub, candidate, phone, advSecret);
  const ofPasskey = xmlns === 'md' ? takePasskeyIq(hub, candidate, node, finish) : null;
  if (ofPasskey !== null) return candidate.client.send(ofPasskey);
  candidate.client.send(xmlns === 'w:p' ? resultOf(node) : errorOf(node, 501, 'feature-not-implemented'));
};

const unknownDevice = element('failure', { reason: '401', location: 'sandbox' });

const login = (hub: HubState, { number, deviceId, noiseKey, passive }: Login, client: Client): Device | BinaryNode => {
  const device = hub.registry.find(number)?.devices.get(deviceId);
  if (!device?.noiseKey || Buffer.compare(device.noiseKey, noiseKey) !== 0) return unknownDevice;
  const { refuseLogins } = hub.faults;
  if (refuseLogins > 0) {
    hub.faults = { ...hub.faults, refuseLogins: refuseLogins - 1 };
    return unknownDevice;
  }
  const failure = loginFailure(hub);
  if (failure !== null) return failure;
  attach(hub, device, client, passive);
  return device;
};

const connectionsOf = (hub: HubState, number: string | undefined): Session[] => {
  const account = number === undefined ? null : hub.registry.find(number);
  if (number !== undefined && account === null) throw new Error(`there is no account ${number}`);
  return [...hub.sessions.values()].filter(
    ({ device }) => device.id !== 0 && (account === null || device.account === account),
  );
};

const unavailable = 503;

const endOf = (streamError: number | undefined): BinaryNode | undefined =>
  streamError === undefined ? undefined : element('stream:error', { code: String(streamError) });

const cut = (hub: HubState, number: string | undefined, streamError: number | undefined): number => {
  const connections = connectionsOf(hub, number);
  for (const { device, client } of connections) {
    detach(hub, device, client);
    client.close(endOf(streamError));
  }
  return connections.length;
};

const drop = (hub: HubState, pairings: PairingRegistry, number?: string, streamError?: number): number => {
  const unlinked = number === undefined ? [...pairings.candidates] : [];
  for (const { client } of unlinked) client.close(endOf(streamError));
  return cut(hub, number, streamError) + unlinked.length;
};

const silence = (hub: HubState, number?: string): number => {
  const silenced = connectionsOf(hub, number);
  for (const { client } of silenced) client.silence?.();
  return silenced.length;
};

const setFaults = (hub: HubState, faults: Faults): Faults => {
  const before = hub.faults;
  const banned = beginLimits(hub, faults, before);
  hub.faults = faults;
  if (before.restrict !== faults.restrict || before.timeLock !== faults.timeLock) announceTimeLock(hub);
  if (before.clientExpiration !== faults.clientExpiration) announceExpiration(hub);
  // The stream ends with 503, and the next login is told of the ban (Baileys #1245 for 403, 2025-02-05).
  if (banned) cut(hub, undefined, unavailable);
  return faults;
};

export const makeHub = (options: HubOptions): ServerHub => {
  const hub = makeState(options);
  const pairings = newPairingRegistry();
  return {
    state: hub,
    record: options.record,
    accounts: hub.registry.byNumber,
    createAccount: (number, name) => hub.registry.create(number, name),
    findAccount: (address) => hub.registry.find(address),
    attach: (device, client) => attach(hub, device, client, false),
    detach: (device, client) => detach(hub, device, client),
    receive: (device, node) => receive(hub, device, node),
    deliver: (device, node) => deliver(hub, device, node),
    wireJid: (from, jid) => wireJid(hub, from, jid),
    pairByQr: (phone, qrText) => pairByQr(hub, pairings, phone, qrText),
    pairByCode: (phone, code) => pairByCode(hub, pairings, phone, code),
    linkAsked: (number) => linkAsked(hub, pairings, number),
    unlink: (device) => unlink(hub, device),
    renewLid: (account) => hub.registry.renewLid(account),
    login: (given, client) => login(hub, given, client),
    register: (registration, client) => welcome(hub, pairings, client, registration),
    unregister: (candidate) => dismiss(pairings, candidate),
    receiveUnlinked: (candidate, node) => receiveUnlinked(hub, candidate, node),
    setBlocked: (account, other, blocked) => setBlocked(hub, account, other, blocked),
    setUsername: (account, username) => setUsername(hub, account, username),
    profileOf: (account) => hub.registry.stateOf(account).profile,
    loseTokens: (account) => loseTokens(hub, account),
    isStrict: () => isStrict(hub),
    tokensOf: (account) => hub.registry.stateOf(account).tokens,
    forgetAppState: (account) => hub.registry.stateOf(account).appState.clear(),
    setFaults: (faults) => setFaults(hub, { ...hub.faults, ...faults }),
    clearFaults: () => {
      setFaults(hub, hub.usual);
    },
    drop: (number, streamError) => drop(hub, pairings, number, streamError),
    silence: (number) => silence(hub, number),
    stats: () => statsOf(hub),
    snapshot: () => takeSnapshot(hub),
  };
};

export const restoreHub = (snapshot: HubSnapshot, options: HubOptions): ServerHub => {
  const hub = makeHub(options);
  loadSnapshot(hub.state, snapshot);
  return hub;
};
