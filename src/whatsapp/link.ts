/** One connection of a device: a socket, its journal, and the credentials that it keeps up to date. */
import { proto } from './engine/proto.ts';
import type { AuthenticationCreds, WASocket } from './engine/types.ts';
import pLimit, { type LimitFunction } from 'p-limit';
import type { AccountLimits } from '../domain/account-limits.ts';
import type { Backlog } from '../domain/sessions/backlog.ts';
import type { Clock } from '../domain/clock.ts';
import type { DeviceSettings } from '../domain/device.ts';
import type { GroupStore, MessageStore } from '../domain/stores.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { Limits } from './send/account-limits.ts';
import { isLinked } from './identity/account.ts';
import type { DeviceMemory } from './login/device-memory.ts';
import type { Endpoint } from './login/endpoint.ts';
import { attachHistory } from './chats/history/attach.ts';
import { PendingChunks } from './chats/history/pending.ts';
import type { ChatTimers } from './chats/timers.ts';
import type { AppState } from './chats/app-state/app-state.ts';
import { attachConversation, type ConversationParts } from './conversation/conversation.ts';
import { attachAppState } from './chats/app-state/attach.ts';
import { type BacklogOptions, BacklogRequests } from './receive/backlog.ts';
import { BegunMessages } from './receive/begun-messages.ts';
import { acknowledgeUnhandled, attachInbound } from './receive/inbound.ts';
import { answerPings } from './receive/pings.ts';
import { Journal, type JournalOptions } from './receive/journal.ts';
import { makeBeginSessions } from './send/key-bundles.ts';
import { DeviceLists } from './identity/addressing.ts';
import type { Line, Tap } from './engine/line/line.ts';
import { attachMediaReuploads, MediaReuploads } from './media/reuploads.ts';
import { followMappingSync } from './identity/lid-migration.ts';
import { attachLogin } from './login/login.ts';
import { openDeviceSocket } from './open-socket.ts';
import { maxUploads } from './media/upload.ts';
import { type SendToPhone, sendToPhone } from './send/peer-message.ts';
import { Presence } from './login/presence.ts';
import { PrivacyTokens } from './identity/privacy-tokens.ts';
import { makeSending, type Sending } from './send/sending.ts';
import { Resends, type ResendsParts } from './send/resends.ts';
import type { SessionStore } from './login/session-store.ts';
import { serializeCredentials } from './signal/credentials.ts';
import { makeKeyStore } from './signal/key-store.ts';
import { type LidMapping, makeLidMapping } from './signal/lid-mapping.ts';
import type { Repository } from './signal/repository.ts';
import { attachGroups } from './groups/attach.ts';
import type { GroupKeeper } from './groups/keeper.ts';

export interface LinkOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: SessionStore;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly memory: DeviceMemory;
  readonly endpoint: Endpoint;
  readonly clientRevision?: number | undefined;
  readonly settings: DeviceSettings;
  readonly tap: Tap;
  readonly onStoreFailure: (error: unknown) => void;
  readonly onLimits: (limits: AccountLimits) => void;
  readonly onBacklog: (backlog: Backlog) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Link extends LinkOptions, Sending {
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

/** Writes the credentials after each change, in order; changes made meanwhile go together into the next write. */
const keepCredentials = (sock: WASocket, { deviceId, creds, store, log }: LinkOptions): void => {
  let changed = false;
  let writing = false;
  const write = async (): Promise<void> => {
    writing = true;
    try {
      while (changed) {
        changed = false;
        await store.commit(deviceId, { credentials: serializeCredentials(creds) });
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'failed to write credentials');
    } finally {
      writing = false;
    }
  };
  sock.ev.on('creds.update', () => {
    // What a pairing leaves behind before it is confirmed is thrown away anyway.
    if (!isLinked(creds)) return;
    changed = true;
    if (!writing) void write();
  });
};

/** Asks the account's phone to hand these messages over in one of its own (whatsmeow message.go, 2026-07). */
const askForMessages = (send: SendToPhone, keys: readonly proto.IMessageKey[]): Promise<void> =>
  send({
    type: proto.Message.ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_MESSAGE,
    peerDataOperationRequestMessage: {
      peerDataOperationRequestType: proto.Message.PeerDataOperationRequestType.PLACEHOLDER_MESSAGE_RESEND,
      placeholderMessageResendRequest: keys.map((messageKey) => ({ messageKey })),
    },
  });

const makeJournal = (
  options: Omit<JournalOptions, 'groupOf' | 'askPhone'>,
  groups: () => GroupKeeper,
  send: () => SendToPhone,
): Journal =>
  new Journal({
    ...options,
    groupOf: (group) =>
      groups()
        .lastKnown(group)
        .catch(() => null),
    askPhone: (keys) => askForMessages(send(), keys),
  });

/** Asks the phone for files that the media host has dropped, and takes its answers. */
const startReuploads = (
  options: LinkOptions,
  sock: WASocket,
  line: Line,
  lidMapping: LidMapping,
  whenEnded: Link['whenEnded'],
): MediaReuploads => {
  const reuploads = new MediaReuploads({ ...options, lidMapping, send: (node) => sock.sendNode(node) });
  attachMediaReuploads(sock.ws, reuploads, (acks) => line.sendInPassing(acks), options.onStoreFailure);
  whenEnded.add(() => reuploads.end());
  return reuploads;
};

const makeLimits = (options: LinkOptions, sock: WASocket, line: Line, whenEnded: Link['whenEnded']): Limits =>
  new Limits({ ...options, sock, line, whenEnded, known: options.memory.limits, tell: options.onLimits });

const requestBacklog = (options: BacklogOptions, { ws }: WASocket, whenEnded: Link['whenEnded']): void => {
  const requests = new BacklogRequests(options);
  requests.attach(ws);
  whenEnded.add(() => requests.end());
};

const followConnection = (
  sock: WASocket,
  { onStoreFailure }: LinkOptions,
  { placeholders }: Journal,
  whenEnded: Link['whenEnded'],
): void => {
  sock.ev.on('connection.update', ({ connection, lastDisconnect }) => {
    if (connection === 'open') void placeholders.begin().catch(onStoreFailure);
    if (connection !== 'close') return;
    for (const tell of whenEnded) tell(lastDisconnect?.error);
  });
};

/** To be attached before what hands receipts on; `later`: parts that come after it. */
const attachResends = (
  parts: Omit<ResendsParts, 'acks' | 'groupOf' | 'forgetHolder'>,
  later: () => Pick<Link, 'groupKeeper' | 'groupSends' | 'acks'>,
): void =>
  new Resends({
    ...parts,
    acks: () => later().acks,
    groupOf: (group) => later().groupKeeper.current(group),
    forgetHolder: (group, device) => later().groupSends.forget(group, device),
  }).attach();

export const openLink = (options: LinkOptions): Link => {
  const { deviceId, creds, store } = options;
  const lidMapping = makeLidMapping({ deviceId, store });
  const pending = new PendingChunks(deviceId, store);
  // Nothing is asked for before the socket is there.
  const journal = makeJournal(
    { ...options, lidMapping, history: pending },
    () => groupKeeper,
    () => toPhone,
  );
  /** Baileys makes it together with the socket. */
  let repository: Repository | undefined;
  const { sock, line } = openDeviceSocket({
    ...options,
    online: options.settings.online,
    fullHistory: options.settings.history === 'full',
    lidMapping,
    onPlaintext: journal.onPlaintext,
    onUndecryptable: journal.onUndecryptable,
    isSpent: journal.placeholders.isSpent,
    onRepository: (made) => (repository = made),
    onKeysSet({ tctoken }) {
      if (tctoken) tokens.forget();
    },
  });
  const presence = new Presence(sock, options.settings.online);
  const tokens = new PrivacyTokens({
    ...options,
    sock,
    keys: makeKeyStore({ deviceId, store }),
    lidMapping,
  });
  const { encryptBatch: encrypt, encryptForGroup, decryptBatch } = repository!;
  const devices = new DeviceLists({ sock, creds, cache: options.memory.userDevices, mapping: lidMapping });
  const beginSessions = makeBeginSessions({ sock, mapping: lidMapping, lists: devices, log: options.log });
  const toPhone = sendToPhone({ sock, line, creds, encrypt, beginSessions });
  const shared = { ...options, sock, line, lidMapping, tokens, encrypt, beginSessions };
  attachResends(shared, () => ({ groupKeeper, ...sending }));
  const onFailure = options.onStoreFailure;
  const begun = new BegunMessages(options);
  const { earlier, unhandled } = attachInbound({ sock, line, presence, journal, begun, decryptBatch, onFailure });
  journal.attach(sock.ws, earlier, line);
  acknowledgeUnhandled(sock.ws, (acks) => line.sendInPassing(acks));
  answerPings(sock.ws, (answers) => line.sendInPassing(answers));
  const { timers } = journal;
  const history = attachHistory(options, pending, { sock, lidMapping, tokens, timers, send: toPhone });
  keepCredentials(sock, options);
  const groupKeeper = attachGroups({ ...options, sock, lidMapping, earlier });
  followMappingSync({ ...options, sock, lidMapping });
  const whenEnded: Link['whenEnded'] = new Set([() => void begun.end().catch(onFailure)]);
  requestBacklog({ ...options, line, unhandled, tell: options.onBacklog }, sock, whenEnded);
  const appState = attachAppState({ ...options, sock, line, lidMapping, presence, sendToPhone: toPhone, whenEnded });
  const reuploads = startReuploads(options, sock, line, lidMapping, whenEnded);
  attachLogin({ ...options, sock, line, whenEnded });
  const limits = makeLimits(options, sock, line, whenEnded);
  followConnection(sock, options, journal, whenEnded);
  const sending = makeSending({ ...shared, devices, encryptForGroup, groupKeeper, whenEnded });
  const conversation = attachConversation({ ...options, sock, lidMapping, tokens, history, whenEnded });
  const [uploads, lookUps] = [pLimit(maxUploads), pLimit(1)];
  const attached = { appState, uploads, lookUps, limits, reuploads, presence, conversation, groupKeeper };
  return { ...options, ...attached, timers, sock, line, lidMapping, whenEnded, ...sending };
};
