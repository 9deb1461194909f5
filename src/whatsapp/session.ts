/** One connection of a device, built from top to bottom: each part is given those above it, and then listens to stanzas. */
import { askLids } from './socket/account-queries.ts';
import { clientPayload } from './socket/client.ts';
import type { Line, Tap } from './socket/line.ts';
import { bundledQueryIds, type QueryIds } from './socket/query.ts';
import type { proto } from './library/proto.ts';
import type { AuthenticationCreds } from './library/types.ts';
import { Socket } from './socket/socket.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AccountLimits } from '../domain/account-limits.ts';
import type { Backlog } from '../domain/sessions/state.ts';
import type { Clock } from '../domain/clock.ts';
import type { DeviceSettings } from '../domain/device.ts';
import type { GroupStore, MessageStore, StatusStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { Limits } from './send/account-limits.ts';
import type { DeviceMemory } from './state/device-memory.ts';
import { keepCredentials } from './login/device-credentials.ts';
import type { Endpoint } from './connection/endpoint.ts';
import { attachHistory } from './chats/history/history.ts';
import { PendingChunks } from './chats/history/pending.ts';
import type { ChatTimers } from './chats/timers.ts';
import type { AppState } from './chats/app-state/app-state.ts';
import { attachConversation, type ConversationParts } from './conversation/conversation.ts';
import { attachAppState } from './chats/app-state/attach.ts';
import { BacklogRequests } from './receive/backlog.ts';
import { answerPings } from './connection/probe.ts';
import { BegunLogins, BegunMessages } from './receive/begun.ts';
import { Inbound } from './receive/inbound.ts';
import { Orders } from './receive/orders.ts';
import { Notices } from './receive/notices.ts';
import { attachAccountNotices } from './account-notices.ts';
import { listChannels } from './channels/ask.ts';
import { ChannelIntake } from './channels/intake.ts';
import { LiveCounters } from './channels/live-counters.ts';
import type { BinaryNode } from './library/nodes.ts';
import type { Report } from '../domain/changes.ts';
import { jidUser } from '../domain/jid.ts';
import { Intake } from './receive/intake.ts';
import { RetryRequests } from './receive/retry-requests.ts';
import { SingleMessages } from './receive/single-message.ts';
import { type BeginSessions, makeBeginSessions } from './send/key-bundles.ts';
import { DeviceLists } from './identity/addressing.ts';
import { MediaReuploads } from './media/reuploads.ts';
import { followMappingSync } from './identity/account.ts';
import { attachLogin, loginPayloadOf } from './login/login.ts';
import { bundledRevision } from './login/client-version/bundled.ts';
import { maxUploads } from './media/upload.ts';
import { sendToPhone } from './send/peer-message.ts';
import { Presence, UnifiedSession } from './connection/presence.ts';
import { PrivacyTokens } from './identity/privacy-tokens.ts';
import { makeSending, type Sending } from './send/sending.ts';
import { Resends } from './send/resends.ts';
import type { SessionStore } from './state/session-store.ts';
import type { EncryptBatch } from './signal/batches.ts';
import { makeKeyStore } from './signal/key-store.ts';
import { type LidMapping, makeLidMapping } from './signal/lid-mapping.ts';
import { makeRepository } from './signal/repository.ts';
import { Locks } from './signal/signal-records.ts';
import { attachGroups, makeStoredGroups } from './groups/attach.ts';
import type { StoredGroups } from './groups/stored-groups.ts';
import { StatusIntake, viewersIn } from './statuses/intake.ts';
import { StatusSends } from './statuses/sends.ts';
import { meOf } from './identity/people.ts';
import { statusJid } from '../domain/messages/statuses.ts';

export interface SessionOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly statuses: Pick<StatusStore, 'find' | 'audience'>;
  readonly memory: DeviceMemory;
  readonly endpoint: Endpoint;
  readonly clientRevision?: number | undefined;
  readonly queryIds?: QueryIds | undefined;
  readonly firstPreKeys?: number | undefined;
  readonly settings: DeviceSettings;
  readonly tap: Tap;
  readonly onStoreFailure: (error: unknown) => void;
  readonly onLimits: (limits: AccountLimits) => void;
  readonly onBacklog: (backlog: Backlog) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Session extends SessionOptions, Sending {
  readonly queryIds: QueryIds;
  readonly timers: ChatTimers;
  readonly appState: AppState;
  readonly sock: Socket;
  readonly line: Line;
  readonly lidMapping: LidMapping;
  readonly uploads: LimitFunction;
  readonly lookUps: LimitFunction;
  readonly limits: Limits;
  readonly reuploads: MediaReuploads;
  readonly presence: Presence;
  readonly conversation: ConversationParts;
  readonly storedGroups: StoredGroups;
  readonly deviceLists: DeviceLists;
  readonly encrypt: EncryptBatch;
  readonly beginSessions: BeginSessions;
  readonly statusSends: StatusSends;
  readonly statusIntake: StatusIntake;
  readonly channels: ChannelIntake;
  readonly whenCalled: Set<(call: Report) => void>;
  /** Called with the error that ended the connection. */
  readonly whenEnded: Set<(error: unknown) => void>;
}

const connect = (options: SessionOptions) => {
  const { deviceId, creds, store, settings } = options;
  const locks = new Locks();
  const keys = makeKeyStore({ deviceId, store, locks });
  const isOwn = (lidUser: string): boolean => jidUser(creds.me?.lid ?? '') === lidUser;
  const lidMapping = makeLidMapping({ ...options, isOwn });
  const repository = makeRepository({ ...options, keys, locks, lidMapping });
  const begun = new BegunMessages(options);
  const begunLogins = new BegunLogins({ ...options, begun });
  const revision = options.clientRevision ?? bundledRevision.revision;
  const client = { revision, fullHistory: settings.history === 'full' };
  const sock: Socket = new Socket({
    ...options,
    prepared: async () => {
      if (creds.me !== undefined && (await begunLogins.begin())) sock.holds = begunLogins.holds;
    },
    payload: () => clientPayload(creds, client, loginPayloadOf(creds)),
  });
  lidMapping.askWith((phones) => askLids(sock, phones));
  const tokens = new PrivacyTokens({ ...options, sock, keys, lidMapping });
  const unifiedSession = new UnifiedSession(sock, options.clock);
  const { line } = sock;
  const { queryIds = bundledQueryIds } = options;
  const more = { keys, lidMapping, tokens, repository, begun, begunLogins, unifiedSession };
  return { ...options, queryIds, sock, line, ...more };
};

const makeSenders = (connected: ReturnType<typeof connect>, whenEnded: Session['whenEnded']) => {
  const { sock, line, creds, memory, lidMapping, repository } = connected;
  const { encryptBatch: encrypt, encryptForGroup } = repository;
  const devices = new DeviceLists({ sock, creds, cache: memory.userDevices, mapping: lidMapping });
  const beginSessions = makeBeginSessions({ ...connected, mapping: lidMapping, lists: devices });
  const toPhone = sendToPhone({ sock, line, creds, encrypt, beginSessions });
  const parts = { ...connected, encrypt, beginSessions, whenEnded };
  const storedGroups = makeStoredGroups(parts);
  const sending = makeSending({ ...parts, devices, encryptForGroup, storedGroups });
  const { acks } = sending;
  const statusSends = new StatusSends({ ...parts, devices, encryptForGroup, acks });
  const resends = new Resends({
    ...parts,
    acks,
    groupOf: (group, anew) => storedGroups.current(group, anew),
    forgetHolder: (group, device) =>
      group === statusJid ? statusSends.forget(device) : sending.groupSends.forget(group, device),
  });
  return { toPhone, storedGroups, sending, resends, beginSessions, encrypt, deviceLists: devices, statusSends };
};

const seenIn = (
  { deviceId, creds, lidMapping, statuses, clock }: ReturnType<typeof connect>,
  { isWanted }: StatusIntake,
  receipts: readonly BinaryNode[],
) =>
  viewersIn(receipts, {
    me: meOf(creds),
    peek: lidMapping.peek,
    now: clock.now(),
    find: (id) => statuses.find(deviceId, id),
    isTold: isWanted,
  });

const makeChannels = (connected: ReturnType<typeof connect>, whenEnded: Session['whenEnded']): ChannelIntake => {
  const list = () => listChannels(connected);
  const counters = new LiveCounters({ ...connected, list });
  const channels = new ChannelIntake({ ...connected, list, counters });
  connected.sock.on('open', () => counters.begin(channels.wanted));
  whenEnded.add(() => counters.end());
  return channels;
};

const attachReceiving = (
  connected: ReturnType<typeof connect>,
  { toPhone, storedGroups, resends }: ReturnType<typeof makeSenders>,
  presence: Presence,
  whenEnded: Session['whenEnded'],
) => {
  const { deviceId, store, sock, line, repository, onStoreFailure: onFailure, onBacklog: tell } = connected;
  const pending = new PendingChunks(deviceId, store);
  const orders = new Orders(connected);
  const retries = new RetryRequests(connected);
  const statusIntake = new StatusIntake({ ...connected, retries });
  const intake = new Intake({
    ...connected,
    orders,
    history: pending,
    groupOf: (group) => storedGroups.lastKnown(group).catch(() => null),
    toPhone,
    statusesSeen: (receipts) => seenIn(connected, statusIntake, receipts),
  });
  const { begun, begunLogins } = connected;
  const { timers, placeholders } = intake;
  const whenPhoneSpoke = new Set<(message: proto.IMessage) => void>();
  const single = new SingleMessages({ ...connected, presence, placeholders, retries, whenPhoneSpoke });
  const channels = makeChannels(connected, whenEnded);
  const inbound = new Inbound({
    ...connected,
    channels,
    presence,
    intake,
    single,
    statuses: statusIntake,
    decryptBatch: repository.decryptBatch,
    onFailure,
  });
  const { earlier } = inbound;
  const backlog = new BacklogRequests({ ...connected, unhandled: () => inbound.unhandled, tell });
  inbound.attach();
  intake.attach(sock, earlier, line, resends.take);
  whenEnded.add(() => resends.end());
  const whenCalled: Session['whenCalled'] = new Set();
  const notices = new Notices({ ...connected, earlier, onFailure });
  const called = async (node: BinaryNode): Promise<void> => {
    for (const call of await intake.call(node)) for (const listen of whenCalled) listen(call);
  };
  notices.on('call', called, { strict: true });
  notices.on('newsletter', (node) => channels.counters(node));
  answerPings(sock, (answers) => line.sendInPassing(answers));
  const history = attachHistory(connected, pending, { ...connected, timers, whenPhoneSpoke, send: toPhone });
  attachGroups(storedGroups, { ...connected, notices, groupTimer: (node) => intake.groupTimer(node) });
  followMappingSync({ ...connected, whenPhoneSpoke });
  backlog.attach(sock.stanzas);
  sock.stanzas.on('ib', () => begunLogins.complete(onFailure), { child: 'offline' });
  whenEnded.add(() => connected.lidMapping.close());
  for (const each of [begun, begunLogins]) whenEnded.add(() => void each.end().catch(onFailure));
  sock.on('open', () => void orders.begin().catch(onFailure));
  whenEnded.add(() => backlog.end());
  whenEnded.add(() => orders.end());
  return { history, timers, placeholders, whenPhoneSpoke, whenCalled, notices, channels, statusIntake };
};

export const openSession = (options: SessionOptions): Session => {
  const { settings, memory, onStoreFailure, onLimits: tell } = options;
  const whenEnded: Session['whenEnded'] = new Set();
  const connected = connect(options);
  const { sock, line, lidMapping, unifiedSession } = connected;
  const presence = new Presence(sock, unifiedSession, settings.online);
  const senders = makeSenders(connected, whenEnded);
  const { sending, storedGroups, toPhone, statusSends, deviceLists, encrypt, beginSessions } = senders;
  const receiving = attachReceiving(connected, senders, presence, whenEnded);
  const { history, timers, placeholders, whenPhoneSpoke, whenCalled, notices, channels, statusIntake } = receiving;
  keepCredentials(connected);
  const parts = { ...connected, whenEnded };
  const appState = attachAppState({ ...parts, presence, notices, whenPhoneSpoke, sendToPhone: toPhone });
  const reuploads = new MediaReuploads({ ...parts, send: (node) => sock.sendNode(node) });
  notices.on('mediaretry', reuploads.take, { beside: true, strict: true });
  attachLogin(parts);
  const limits = new Limits({ ...parts, known: memory.limits, tell });
  attachAccountNotices(notices, { ...parts, limits, channels, beginSessions: senders.beginSessions });
  const conversation = attachConversation({ ...parts, history });
  whenEnded.add(() => reuploads.end());
  sock.on('open', () => void placeholders.begin().catch(onStoreFailure));
  sock.on('end', (error) => {
    for (const end of whenEnded) end(error);
  });
  const [uploads, lookUps] = [pLimit(maxUploads), pLimit(1)];
  const attached = { whenCalled, appState, uploads, lookUps, limits, reuploads, presence, conversation, storedGroups };
  const { queryIds } = connected;
  const more = { queryIds, channels, statusSends, statusIntake, deviceLists, encrypt, beginSessions };
  return { ...options, ...attached, ...more, timers, sock, line, lidMapping, whenEnded, ...sending };
};
