/** A session as the network port has it, and its connection: one socket, or two after a pairing, and what it reports to the listener. */
import { Mutex } from 'async-mutex';
import type { BinaryNode } from './library/nodes.ts';
import type { AuthenticationCreds } from './library/types.ts';
import type { Clock } from '../domain/clock.ts';
import { type DeviceSettings, defaultSettings } from '../domain/device.ts';
import type { ConnectOptions, NetworkSession, SessionListener } from '../domain/network.ts';
import { type Account, type DisconnectReason, sameAccount } from '../domain/sessions/state.ts';
import type { SuppressionStore } from '../domain/chats/suppressions.ts';
import type { SessionCredentials, GroupStore, MessageStore, StatusStore } from '../domain/stores.ts';
import { deviceNotConnected, HandsetError, messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { accountOf, isLinked } from './identity/account.ts';
import { loadCredentials } from './login/device-credentials.ts';
import { answerCalls } from './conversation/calls.ts';
import type { DeviceMemory } from './state/device-memory.ts';
import { disconnectReason } from './connection/disconnect-reason.ts';
import type { Endpoint } from './connection/endpoint.ts';
import { openSession, type Session } from './session.ts';
import { followExpiration } from './login/client-version/versioned-network.ts';
import { confirmPairing } from './pairing/stanzas.ts';
import { Pairing } from './pairing/pairing.ts';
import type { Probes } from './connection/probe.ts';
import { makeSessionStore, type SessionStore, type StopWordSettings } from './state/session-store.ts';
import type { Tap } from './socket/line.ts';
import type { QueryIds } from './socket/query.ts';
import { conversationOf } from './conversation/acts.ts';
import { channelsOf } from './channels/acts.ts';
import { groupsOf } from './groups/acts.ts';
import { type AskAgain, downloadMedia, fetchMedia } from './media/download.ts';
import { notAsked } from './media/reuploads.ts';
import { lookUp } from './identity/look-up.ts';
import { removeCompanionDevice } from './pairing/removal.ts';
import { sendMessage, uploadContent } from './send/send.ts';
import { statusesOf } from './statuses/acts.ts';

export interface ConnectionOptions extends ConnectOptions {
  readonly credentials: SessionCredentials;
  readonly messages: MessageStore;
  readonly groups: GroupStore;
  readonly statuses: Pick<StatusStore, 'find' | 'audience'>;
  readonly suppressions?: Pick<SuppressionStore, 'has'> | undefined;
  readonly queryIds?: QueryIds | undefined;
  readonly memory: DeviceMemory;
  readonly endpoint: Endpoint;
  readonly probes: Probes;
  readonly tap: Tap;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `paired`: confirmed on this socket; the network asks for a new one now. */
type Stage = 'connecting' | 'paired' | 'open' | 'closed';

const storeFailure: DisconnectReason = { kind: 'lost', detail: 'the store failed' };

class Connection {
  readonly store: SessionStore;
  readonly #options: ConnectionOptions;
  readonly #listener: SessionListener;
  readonly #ended = Promise.withResolvers<void>();
  readonly #telling = new Mutex();
  #session: Session | null = null;
  #pairing: Pairing | null = null;
  #stage: Stage = 'connecting';
  #untried = false;
  #account: Account | null;
  #toldOpen = false;
  #settings: DeviceSettings;
  readonly #stopWords: StopWordSettings;
  #ending: DisconnectReason | null = null;

  constructor(options: ConnectionOptions, listener: SessionListener) {
    this.#options = options;
    this.#listener = listener;
    this.#account = options.account ?? null;
    this.#settings = options.settings ?? defaultSettings;
    const failed = (error: unknown): void => this.#storeFailed(error);
    this.#stopWords = { stopWords: this.#settings.stopWords };
    this.store = makeSessionStore(options.credentials, failed, options.epoch, this.#stopWords);
  }

  async start(): Promise<void> {
    const { deviceId, memory } = this.#options;
    try {
      const creds = await loadCredentials(deviceId, this.store, memory);
      if (this.#ending === null) this.#connect(creds);
      else this.#finish(this.#ending);
    } catch (error) {
      this.#finish({ kind: 'lost', detail: messageOf(error) });
    }
  }

  get isOpen(): boolean {
    return this.#stage === 'open';
  }

  get open(): Session {
    if (this.#session === null || this.#stage !== 'open') throw deviceNotConnected(this.#options.deviceId);
    return this.#session;
  }

  /** Throws Conflict unless a pairing is under way. */
  get pairing(): Pairing {
    if (this.#pairing === null) throw new HandsetError('Conflict', 'No linking is under way');
    return this.#pairing;
  }

  applySettings(settings: DeviceSettings): void {
    this.#settings = settings;
    this.#stopWords.stopWords = settings.stopWords;
    this.#session?.presence.set(settings.online);
    this.#session?.channels.want(settings.channels);
    this.#session?.conversation.presences.set(settings.presence);
    if (this.#session !== null) this.#session.statusIntake.isWanted = settings.statuses === 'received';
  }

  async leaving(work: (session: Session) => Promise<void>): Promise<void> {
    const before = this.#ending;
    this.#ending ??= { kind: 'requested' };
    try {
      await work(this.open);
    } catch (error) {
      if (this.isOpen) this.#ending = before;
      throw error;
    }
  }

  /** Closes the socket. Resolves once everything is reported and nothing more will be written. */
  end(reason: DisconnectReason): Promise<void> {
    this.#ending ??= reason;
    void this.#session?.sock.end();
    return this.#ended.promise;
  }

  cut(): void {
    this.#ending ??= { kind: 'requested' };
    this.#session?.line.cut();
  }

  #connect(creds: AuthenticationCreds): void {
    this.#stage = 'connecting';
    const session = openSession({
      ...this.#options,
      creds,
      settings: this.#settings,
      store: this.store,
      onStoreFailure: (error) => this.#storeFailed(error),
      onLimits: (limits) => this.#tell(() => this.#listener.restricted(limits)),
      onBacklog: (backlog) => this.#tell(() => this.#listener.backlog(backlog)),
    });
    this.#session = session;
    followExpiration(session.sock.stanzas, (at) => this.#tell(() => this.#listener.clientExpires?.(at)));
    answerCalls(session, () => this.#settings.rejectCalls, this.#options.suppressions);
    this.#options.probes.watch(session, () => void this.end({ kind: 'lost', detail: 'the network has fallen silent' }));
    this.#pairing = isLinked(creds) ? null : this.#startPairing(session);
    session.sock.on('open', () => this.#opened(session));
    session.sock.on('end', (error) => this.#closed(session, error));
    // The name comes with app state, shortly after the first login.
    session.sock.on('credentials', ({ me }) => {
      if (me !== undefined && this.isOpen) this.#tellOpen(accountOf(session.creds));
    });
  }

  #startPairing(session: Session): Pairing {
    session.sock.stanzas.on('iq', (stanza) => void this.#pairSucceeded(session, stanza), { child: 'pair-success' });
    return new Pairing(session.sock, {
      number: this.#options.pairingNumber,
      formerCode: this.#options.formerCode,
      clock: this.#options.clock,
      events: {
        offer: (offer) => this.#tell(() => this.#listener.pairing(offer)),
        passkey: (passkey) => this.#tell(() => this.#listener.passkey(passkey)),
        failed: (reason) => void this.end(reason),
      },
    });
  }

  async #pairSucceeded(session: Session, stanza: BinaryNode): Promise<void> {
    // From here on nothing may change the secret that confirms the link.
    this.#pairing?.stop();
    try {
      const { account, reply } = await confirmPairing(this.#options.deviceId, session, this.store, stanza);
      this.#stage = 'paired';
      this.#untried = true;
      this.#tell(() => this.#listener.linked(account));
      reply();
    } catch (error) {
      void this.end({ kind: 'pairing_failed', detail: messageOf(error) });
    }
  }

  #opened({ creds }: Session): void {
    this.#stage = 'open';
    this.#untried = false;
    this.#tellOpen(accountOf(creds));
  }

  #tell(say: () => void | Promise<void>): void {
    const { deviceId, log } = this.#options;
    this.#telling
      .runExclusive(say)
      .catch((error: unknown) => log.error({ deviceId, error: messageOf(error) }, 'a session event handler failed'));
  }

  #tellOpen(account: Account): void {
    const { deviceId } = this.#options;
    const isNews = !sameAccount(this.#account, account);
    if (this.#toldOpen && !isNews) return;
    this.#account = account;
    this.#toldOpen = true;
    this.#tell(async () => {
      if (isNews) await this.store.commit(deviceId, { account });
      if (this.isOpen) this.#listener.open(account);
    });
  }

  #closed({ creds }: Session, error: unknown): void {
    const restart = this.#stage === 'paired';
    this.#pairing?.stop();
    this.#pairing = null;
    this.#stage = 'closed';
    if (this.#ending !== null) this.#finish(this.#ending);
    else if (restart) this.#connect(creds);
    else {
      const end = { error, linked: isLinked(creds), justPaired: this.#untried };
      this.#finish(disconnectReason(end, this.#options.clock.now()));
    }
  }

  #storeFailed(error: unknown): void {
    // Work cut off by the end of the session is redelivered.
    if (this.#stage === 'closed' || this.#ending === storeFailure) return;
    const { deviceId, log } = this.#options;
    log.error({ deviceId, error: messageOf(error) }, 'the store failed; ending the session');
    void this.end(storeFailure);
  }

  #finish(reason: DisconnectReason): void {
    this.#tell(async () => {
      await this.store.idle();
      this.store.end();
      this.#listener.closed(reason);
      this.#ended.resolve();
    });
  }
}

export const startSession = (options: ConnectionOptions, listener: SessionListener): NetworkSession => {
  const { deviceId, endpoint } = options;
  const connection = new Connection(options, listener);
  void connection.start();
  return {
    deviceId,
    async lookUp(number) {
      const session = connection.open;
      return session.memory.accounts.get(number) ?? session.lookUps(() => lookUp(session, number));
    },
    send: async (message, address) => sendMessage(connection.open, message, address),
    upload: async (content, signal) => uploadContent(connection.open, content, signal),
    writeAppState: async (mutations) => connection.open.appState.write(mutations),
    async downloadMedia(message, waitMs) {
      const { sock, reuploads } = connection.open;
      return downloadMedia(sock, endpoint, message, (...gone) => reuploads.pathOf(...gone, waitMs));
    },
    async fetchMedia(message, waitMs, request) {
      const { sock, reuploads } = connection.open;
      const askAgain: AskAgain = (...gone) =>
        waitMs === null ? Promise.reject(notAsked()) : reuploads.pathOf(...gone, waitMs);
      return fetchMedia(sock, endpoint, message, { ...request, askAgain });
    },
    answerPasskey: async (credential) => connection.pairing.answerPasskey(credential),
    confirmPasskey: async () => connection.pairing.confirmPasskey(),
    conversation: conversationOf(() => connection.open),
    groups: groupsOf(() => connection.open),
    statuses: statusesOf(() => connection.open),
    channels: channelsOf(() => connection.open),
    applySettings: (settings) => connection.applySettings(settings),
    async logout() {
      if (connection.isOpen) await connection.leaving((session) => removeCompanionDevice(session, deviceId));
      await connection.end({ kind: 'requested' });
    },
    close: () => connection.end({ kind: 'requested' }),
    cut: () => connection.cut(),
  };
};
