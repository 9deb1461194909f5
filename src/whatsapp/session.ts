/** One session of a device, from connect to close, over one socket or (after a pairing) two. */
import {
  type AuthenticationCreds,
  type BinaryNode,
  configureSuccessfulPairing,
  type ReachoutTimelockState,
} from 'baileys';
import type { Clock } from '../domain/clock.ts';
import type { Jid } from '../domain/jid.ts';
import type { MessageRecord, OutgoingMessage, SentMessage } from '../domain/message.ts';
import type { ConnectOptions, Session, SessionListener } from '../domain/network.ts';
import type { Account, DisconnectReason } from '../domain/session-state.ts';
import type { CredentialStore, MessageStore } from '../domain/stores.ts';
import { deviceNotConnected, messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { accountOf, isLinked, sameAccount } from './account.ts';
import type { DeviceMemory } from './device-memory.ts';
import { disconnectReason } from './disconnect-reason.ts';
import { downloadMedia } from './download.ts';
import type { Endpoint } from './endpoint.ts';
import { type Link, openLink } from './link.ts';
import { removeCompanionDevice } from './log-out.ts';
import { lookUp } from './look-up.ts';
import { Pairing } from './pairing.ts';
import { sendMessage } from './send.ts';
import { makeSessionStore, type SessionStore } from './session-store.ts';
import { newCredentials, parseCredentials, serializeCredentials } from './signal/credentials.ts';
import { hangUp } from './socket.ts';
import { replaceListener } from './stanza-hooks.ts';
import type { MediaUrl } from './translate/record.ts';

export interface SessionOptions extends ConnectOptions {
  readonly credentials: CredentialStore;
  readonly messages: MessageStore;
  readonly memory: DeviceMemory;
  readonly endpoint: Endpoint;
  readonly mediaUrl: MediaUrl;
  readonly clock: Clock;
  readonly log: Logger;
}

export class LiveSession implements Session {
  readonly deviceId: number;
  readonly #options: SessionOptions;
  readonly #listener: SessionListener;
  readonly #store: SessionStore;
  readonly #ended = Promise.withResolvers<void>();
  #link: Link | null = null;
  #open = false;
  /** Confirmed on this socket; the network asks for a new one now. */
  #paired = false;
  /** Linked in this session, and not open since. */
  #untried = false;
  /** Why we end it ourselves. */
  #ending: DisconnectReason | null = null;
  #account: Account | null = null;
  /** Calls of the listener, in order, each after what it waits for. */
  #telling: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions, listener: SessionListener) {
    this.deviceId = options.deviceId;
    this.#options = options;
    this.#listener = listener;
    this.#store = makeSessionStore(options.credentials, (error) => this.#storeFailed(error));
  }

  async start(): Promise<void> {
    try {
      const creds = await this.#loadCredentials();
      if (this.#ending === null) this.#connect(creds);
      else this.#finish(this.#ending);
    } catch (error) {
      this.#finish({ kind: 'lost', detail: messageOf(error) });
    }
  }

  async lookUp(number: string): Promise<Jid | null> {
    return lookUp({ ...this.#options, store: this.#store, link: this.#openLink() }, number);
  }

  async send(message: OutgoingMessage): Promise<SentMessage> {
    return sendMessage({ ...this.#options, store: this.#store, link: this.#openLink() }, message);
  }

  async downloadMedia(message: MessageRecord): Promise<AsyncIterable<Uint8Array>> {
    return downloadMedia(this.#openLink().sock, this.#options.endpoint, message);
  }

  async logout(): Promise<void> {
    if (this.#link !== null && this.#open) await this.#unlink(this.#link);
    await this.close();
  }

  close(): Promise<void> {
    this.#end({ kind: 'requested' });
    return this.#ended.promise;
  }

  async #unlink(link: Link): Promise<void> {
    const before = this.#ending;
    // The network may answer by ending the connection, which is then no surprise.
    this.#ending ??= { kind: 'requested' };
    try {
      await removeCompanionDevice(link, this.deviceId);
    } catch (error) {
      if (this.#open) this.#ending = before;
      throw error;
    }
  }

  #openLink(): Link {
    if (this.#link === null || !this.#open) throw deviceNotConnected(this.deviceId);
    return this.#link;
  }

  async #loadCredentials(): Promise<AuthenticationCreds> {
    const bytes = await this.#store.loadCredentials(this.deviceId);
    const creds = bytes === null ? null : parseCredentials(bytes);
    if (creds !== null && isLinked(creds)) return creds;
    // What an unfinished pairing left would turn the next handshake into a login that cannot succeed.
    await this.#store.clearCredentials(this.deviceId, {});
    this.#options.memory.forget();
    return newCredentials();
  }

  #connect(creds: AuthenticationCreds): void {
    this.#paired = false;
    const link = openLink({
      ...this.#options,
      creds,
      store: this.#store,
      onStoreFailure: (error) => this.#storeFailed(error),
    });
    this.#link = link;
    const pairing = isLinked(creds) ? null : this.#startPairing(link);
    link.sock.ev.on('connection.update', ({ qr, connection, lastDisconnect, reachoutTimeLock }) => {
      if (qr !== undefined) pairing?.onQr(qr);
      if (connection === 'open') this.#opened(link);
      if (connection === 'close') this.#closed(link, lastDisconnect?.error);
      if (reachoutTimeLock !== undefined) this.#restricted(reachoutTimeLock);
    });
  }

  #startPairing(link: Link): Pairing {
    replaceListener(link.sock.ws, 'CB:iq,,pair-success', (stanza) => void this.#pairSucceeded(link, stanza));
    return new Pairing(link.sock, {
      number: this.#options.pairingNumber,
      clock: this.#options.clock,
      events: {
        offer: (offer) => this.#tell(() => this.#listener.pairing(offer)),
        passkeyRequired: () => this.#tell(() => this.#listener.passkeyRequired()),
        failed: (detail) => this.#end({ kind: 'pairing_failed', detail }),
      },
    });
  }

  /** Stores the account before the network hears that the pairing is complete. */
  async #pairSucceeded({ sock, creds }: Link, stanza: BinaryNode): Promise<void> {
    try {
      sock.updateServerTimeOffset(stanza);
      const { creds: confirmed, reply } = configureSuccessfulPairing(stanza, creds);
      Object.assign(creds, confirmed);
      const account = accountOf(creds);
      await this.#store.commit(this.deviceId, { credentials: serializeCredentials(creds), account });
      this.#account = account;
      this.#paired = true;
      this.#untried = true;
      this.#tell(() => this.#listener.linked(account));
      // When the connection is gone already, the next login tells whether the network has made the link.
      sock.sendNode(reply).catch((error: unknown) => this.#options.log.debug({ error: messageOf(error) }, 'no reply'));
    } catch (error) {
      this.#end({ kind: 'pairing_failed', detail: messageOf(error) });
    }
  }

  #opened({ creds }: Link): void {
    const account = accountOf(creds);
    this.#open = true;
    this.#untried = false;
    this.#tell(async () => {
      if (this.#account === null || !sameAccount(this.#account, account)) {
        this.#account = account;
        await this.#store.commit(this.deviceId, { account });
      }
      if (this.#open) this.#listener.open(account);
    });
  }

  #restricted({ isActive, timeEnforcementEnds }: ReachoutTimelockState): void {
    // The network's own apps take a minute where it does not say how long.
    const until = timeEnforcementEnds?.getTime() ?? this.#options.clock.now() + 60_000;
    this.#tell(() => this.#listener.restricted(isActive === true ? until : null));
  }

  #closed({ creds }: Link, error: unknown): void {
    this.#open = false;
    if (this.#ending !== null) this.#finish(this.#ending);
    else if (this.#paired) this.#connect(creds);
    else this.#finish(disconnectReason({ error, linked: isLinked(creds), justPaired: this.#untried }));
  }

  /** Closes the socket for a reason of ours; `#closed` follows. */
  #end(reason: DisconnectReason): void {
    this.#ending ??= reason;
    if (this.#link !== null) hangUp(this.#link.sock);
  }

  #storeFailed(error: unknown): void {
    this.#options.log.error({ deviceId: this.deviceId, error: messageOf(error) }, 'the store failed, the session ends');
    this.#end({ kind: 'lost', detail: 'the store failed' });
  }

  #finish(reason: DisconnectReason): void {
    this.#tell(async () => {
      await this.#store.idle();
      this.#store.seal();
      this.#listener.closed(reason);
      this.#ended.resolve();
    });
  }

  #tell(say: () => void | Promise<void>): void {
    this.#telling = this.#telling
      .then(say)
      .catch((error: unknown) => this.#options.log.error({ error: messageOf(error) }, 'a session event failed'));
  }
}
