/** One connection of a device, built from top to bottom: each part is given those above it, and then listens to the stanzas. */
import { forEngine } from './engine/bounded-cache.ts';
import { askLids } from './engine/account-queries.ts';
import type { Line, Tap } from './engine/line/line.ts';
import { openSocket } from './engine/line/socket.ts';
import { proto } from './engine/proto.ts';
import { limitRetries } from './engine/retry-manager.ts';
import type { AuthenticationCreds, SocketConfig, WASocket } from './engine/types.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AccountLimits } from '../domain/account-limits.ts';
import type { Backlog } from '../domain/sessions/backlog.ts';
import type { Clock } from '../domain/clock.ts';
import type { DeviceSettings } from '../domain/device.ts';
import type { GroupStore, MessageStore } from '../domain/stores.ts';
import type { Logger } from '../log.ts';
import { Limits } from './send/account-limits.ts';
import type { DeviceMemory } from './state/device-memory.ts';
import { keepCredentials } from './login/device-credentials.ts';
import type { Endpoint } from './connection/endpoint.ts';
import { attachHistory } from './chats/history/attach.ts';
import { PendingChunks } from './chats/history/pending.ts';
import type { ChatTimers } from './chats/timers.ts';
import type { AppState } from './chats/app-state/app-state.ts';
import { attachConversation, type ConversationParts } from './conversation/conversation.ts';
import { attachAppState } from './chats/app-state/attach.ts';
import { BacklogRequests } from './receive/backlog.ts';
import { answerPings } from './connection/probe.ts';
import { BegunMessages } from './receive/begun-messages.ts';
import { Inbound } from './receive/inbound.ts';
import { Intake } from './receive/intake.ts';
import { makeBeginSessions } from './send/key-bundles.ts';
import { DeviceLists } from './identity/addressing.ts';
import { attachMediaReuploads, MediaReuploads } from './media/reuploads.ts';
import { followMappingSync } from './identity/lid-migration.ts';
import { attachLogin, loginPayloadOf } from './login/login.ts';
import { bundledRevision } from './login/client-version/bundled.ts';
import { maxUploads } from './media/upload.ts';
import { sendToPhone } from './send/peer-message.ts';
import { Presence } from './connection/presence.ts';
import { PrivacyTokens } from './identity/privacy-tokens.ts';
import { makeSending, type Sending } from './send/sending.ts';
import { Resends } from './send/resends.ts';
import type { SessionStore } from './state/session-store.ts';
import { makeKeyStore } from './signal/key-store.ts';
import { type LidMapping, makeLidMapping } from './signal/lid-mapping.ts';
import { makeRepository } from './signal/repository.ts';
import { Locks } from './signal/signal-records.ts';
import { attachGroups, makeGroupKeeper } from './groups/attach.ts';
import type { GroupKeeper } from './groups/keeper.ts';

export interface SessionOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly memory: DeviceMemory;
  readonly endpoint: Endpoint;
  /** The bundled one where it is not given. */
  readonly clientRevision?: number | undefined;
  readonly settings: DeviceSettings;
  readonly tap: Tap;
  readonly onStoreFailure: (error: unknown) => void;
  readonly onLimits: (limits: AccountLimits) => void;
  readonly onBacklog: (backlog: Backlog) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Session extends SessionOptions, Sending {
  readonly timers: ChatTimers;
  readonly appState: AppState;
  readonly sock: WASocket;
  readonly line: Line;
  readonly lidMapping: LidMapping;
  readonly uploads: LimitFunction;
  /** One at a time, so that many new numbers make no burst of questions. */
  readonly lookUps: LimitFunction;
  readonly limits: Limits;
  readonly reuploads: MediaReuploads;
  readonly presence: Presence;
  readonly conversation: ConversationParts;
  readonly groupKeeper: GroupKeeper;
  /** Called with the error of Baileys when the connection has ended. */
  readonly whenEnded: Set<(error: unknown) => void>;
}

/** Baileys answers retry receipts that `Resends` leaves to it from the store, also after a restart of the service. */
const storedMessage =
  ({ messages, deviceId }: SessionOptions): SocketConfig['getMessage'] =>
  async ({ id }) => {
    const record = id ? await messages.find(deviceId, id, undefined, true) : null;
    // A deleted message is not sent again, whoever asks for it (Baileys #2820, 2026).
    if (record === null || record.deletedAt !== null) return undefined;
    return record.direction === 'out' && record.content !== null ? proto.Message.decode(record.content) : undefined;
  };

/** The socket over the device's keys and its Signal records. */
const connect = (options: SessionOptions) => {
  const { deviceId, creds, store, settings, memory } = options;
  const locks = new Locks();
  const keys = makeKeyStore({ deviceId, store, locks });
  const lidMapping = makeLidMapping({ deviceId, store });
  const repository = makeRepository({ ...options, keys, locks, lidMapping });
  const { sock, line } = openSocket({
    ...options,
    keys,
    online: settings.online,
    fullHistory: settings.history === 'full',
    loginPayload: () => loginPayloadOf(creds),
    clientRevision: options.clientRevision ?? bundledRevision.revision,
    makeSignalRepository: () => repository,
    getMessage: storedMessage(options),
    userDevices: forEngine(memory.userDevices),
  });
  // The engine's own question takes a failure for an empty answer.
  lidMapping.askWith((phones) => askLids(sock, phones));
  const tokens = new PrivacyTokens({ ...options, sock, keys: makeKeyStore({ deviceId, store }), lidMapping });
  keys.whenSet.add(({ tctoken }) => {
    if (tctoken) tokens.forget();
  });
  return { ...options, sock, line, lidMapping, tokens, repository };
};

/** What the connection sends with, and what it knows of groups. */
const makeSenders = (connected: ReturnType<typeof connect>, whenEnded: Session['whenEnded']) => {
  const { sock, line, creds, memory, lidMapping, repository, log } = connected;
  const { encryptBatch: encrypt, encryptForGroup } = repository;
  const devices = new DeviceLists({ sock, creds, cache: memory.userDevices, mapping: lidMapping });
  const beginSessions = makeBeginSessions({ sock, mapping: lidMapping, lists: devices, log });
  const toPhone = sendToPhone({ sock, line, creds, encrypt, beginSessions });
  const parts = { ...connected, encrypt, beginSessions, whenEnded };
  const groupKeeper = makeGroupKeeper(parts);
  const sending = makeSending({ ...parts, devices, encryptForGroup, groupKeeper });
  const resends = new Resends({
    ...parts,
    acks: sending.acks,
    groupOf: (group) => groupKeeper.current(group),
    forgetHolder: (group, device) => sending.groupSends.forget(group, device),
  });
  return { toPhone, groupKeeper, sending, resends };
};

/** What arrives: attached in this order, as each handler of a kind of stanza hands on to the one attached before it. */
const attachReceiving = (
  connected: ReturnType<typeof connect>,
  { toPhone, groupKeeper, resends }: ReturnType<typeof makeSenders>,
  presence: Presence,
  whenEnded: Session['whenEnded'],
) => {
  const { deviceId, store, sock, line, repository, onStoreFailure: onFailure, onBacklog: tell } = connected;
  const pending = new PendingChunks(deviceId, store);
  const intake = new Intake({
    ...connected,
    history: pending,
    groupOf: (group) => groupKeeper.lastKnown(group).catch(() => null),
    toPhone,
  });
  const begun = new BegunMessages(connected);
  const inbound = new Inbound({
    ...connected,
    presence,
    intake,
    begun,
    decryptBatch: repository.decryptBatch,
    onFailure,
  });
  const { earlier } = inbound;
  const { timers, placeholders } = intake;
  const backlog = new BacklogRequests({ ...connected, unhandled: () => inbound.unhandled, tell });
  repository.readBy(intake);
  limitRetries(sock, placeholders.isSpent);
  resends.attach();
  inbound.attach();
  intake.attach(sock.ws, earlier, line);
  answerPings(sock.ws, (answers) => line.sendInPassing(answers));
  const history = attachHistory(connected, pending, { ...connected, timers, send: toPhone });
  attachGroups(groupKeeper, { ...connected, earlier });
  followMappingSync(connected);
  backlog.attach(sock.ws);
  whenEnded.add(() => void begun.end().catch(onFailure)).add(() => backlog.end());
  return { history, timers, placeholders };
};

export const openSession = (options: SessionOptions): Session => {
  const { settings, memory, onStoreFailure, onLimits: tell } = options;
  const whenEnded: Session['whenEnded'] = new Set();
  const connected = connect(options);
  const { sock, line, lidMapping } = connected;
  const presence = new Presence(sock, settings.online);
  const senders = makeSenders(connected, whenEnded);
  const { sending, groupKeeper, toPhone } = senders;
  const { history, timers, placeholders } = attachReceiving(connected, senders, presence, whenEnded);
  keepCredentials(connected);
  const parts = { ...connected, whenEnded };
  const appState = attachAppState({ ...parts, presence, sendToPhone: toPhone });
  const reuploads = new MediaReuploads({ ...parts, send: (node) => sock.sendNode(node) });
  attachMediaReuploads(sock.ws, reuploads, (acks) => line.sendInPassing(acks), onStoreFailure);
  attachLogin(parts);
  const limits = new Limits({ ...parts, known: memory.limits, tell });
  const conversation = attachConversation({ ...parts, history });
  whenEnded.add(() => reuploads.end());
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'open') void placeholders.begin().catch(onStoreFailure);
    if (connection === 'close') for (const end of whenEnded) end(lastDisconnect?.error);
  });
  const [uploads, lookUps] = [pLimit(maxUploads), pLimit(1)];
  const attached = { appState, uploads, lookUps, limits, reuploads, presence, conversation, groupKeeper };
  return { ...options, ...attached, timers, sock, line, lidMapping, whenEnded, ...sending };
};
