/** The connection of a device: never two at a time, and only the newest is listened to. */
import type { Clock, Timer } from '../../domain/clock.ts';
import type { ConnectOptions, Network, NetworkSession, SessionListener } from '../../domain/network.ts';
import type { SessionEvent } from '../../domain/sessions/session.ts';
import { messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { within } from '../time/deadline.ts';
import type { ConnectSlots, Slots } from './slots.ts';

/** A connection silent for this long is given up. */
const silenceMs = 45_000;
/** How long a session's end is awaited before the next one begins. */
const closeMs = 5_000;

export interface ConnectionParts {
  readonly deviceId: number;
  readonly userId: number;
  readonly epoch: number | null;
  readonly network: Network;
  readonly slots: ConnectSlots;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called before each connect; false: nothing to connect. */
  readonly prepare: () => Promise<boolean>;
  readonly report: (event: SessionEvent) => void;
}

export type PairingRequest = Pick<ConnectOptions, 'account' | 'pairingNumber' | 'formerCode'>;

type ConnectRequest = PairingRequest & Pick<ConnectOptions, 'settings'>;

export class Connection {
  readonly #parts: ConnectionParts;
  session: NetworkSession | null = null;
  #attempt = 0;
  #retired: Promise<void> = Promise.resolve();
  /** Asked to close, but perhaps still connected. */
  readonly #closing = new Set<NetworkSession>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Closes the present session and reconnects. `urgent`: a user waits for it. */
  begin(request: () => ConnectRequest, urgent: boolean): void {
    void this.#connect(this.#supersede(), request, urgent);
  }

  /** Closes without a logout; resolves once nothing more will be written. */
  end(): Promise<void> {
    this.#supersede();
    return this.#retired;
  }

  /** Drops the connection without a closing handshake. */
  cut(): void {
    for (const session of this.#closing) session.cut();
    this.session?.cut();
    this.#supersede();
  }

  /** Unlinks on the network, then closes in any case. Throws if the network did not confirm in time. */
  async logout(ms: number): Promise<void> {
    const session = this.session;
    if (session === null) throw new Error('there is no session to log out');
    this.#attempt += 1;
    this.session = null;
    this.#closing.add(session);
    try {
      await within(this.#parts.clock, ms, session.logout());
    } finally {
      this.#retire(session);
      await this.#retired;
    }
  }

  #supersede(): number {
    this.#attempt += 1;
    if (this.session !== null) this.#retire(this.session);
    this.session = null;
    return this.#attempt;
  }

  #retire(session: NetworkSession): void {
    const { clock, log, deviceId } = this.#parts;
    this.#closing.add(session);
    this.#retired = this.#retired
      .then(() => within(clock, closeMs, session.close()))
      .catch((error: unknown) => log.warn({ deviceId, reason: messageOf(error) }, 'a session did not close cleanly'))
      .finally(() => this.#closing.delete(session));
  }

  async #connect(attempt: number, request: () => ConnectRequest, urgent: boolean): Promise<void> {
    const { deviceId, userId, epoch, network, slots, clock, prepare, report } = this.#parts;
    const stale = (): boolean => attempt !== this.#attempt;
    let watchdog: Timer | null = null;
    let release: (() => void) | null = null;
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
      watchdog?.cancel();
      release?.();
    };
    const giveUp = (): void => {
      settle();
      if (stale()) return;
      this.#supersede();
      report({ kind: 'ended', reason: { kind: 'lost', detail: 'the network did not answer' } });
    };
    const enter = async (next: Slots): Promise<void> => {
      watchdog?.cancel();
      const taken = await next.acquire(userId, urgent);
      release?.();
      release = taken;
      if (isSettled) taken();
      else watchdog = clock.after(silenceMs, giveUp);
    };
    let isReached = (request().settings?.proxy ?? null) === null;
    /** The proxy has connected. Called again at each reconnect of the protocol. */
    const reached = async (): Promise<void> => {
      if (!isReached) await enter(slots.network);
      isReached = true;
      if (stale()) throw new Error('the connection was given up');
    };
    await enter(isReached ? slots.network : slots.proxies);
    try {
      await this.#retired;
      if (stale() || !(await prepare()) || stale()) {
        settle();
        return;
      }
      const session = network.connect({ deviceId, epoch, ...request(), reached }, this.#listen(stale, settle));
      if (stale()) this.#retire(session);
      else this.session = session;
    } catch (error) {
      settle();
      if (!stale()) report({ kind: 'ended', reason: { kind: 'lost', detail: messageOf(error) } });
    }
  }

  /** `settle`: on the first sign of life, so that the next device may connect. */
  #listen(stale: () => boolean, settle: () => void): SessionListener {
    const hear = (event: SessionEvent): void => {
      settle();
      if (!stale()) this.#parts.report(event);
    };
    return {
      pairing: (offer) => hear({ kind: 'offer', offer }),
      passkey: (passkey) => hear({ kind: 'passkey', passkey }),
      linked: (account) => hear({ kind: 'linked', account }),
      open: (account) => hear({ kind: 'open', account }),
      restricted: (limits) => hear({ kind: 'restricted', limits }),
      backlog: (backlog) => hear({ kind: 'backlog', backlog }),
      closed: (reason) => {
        settle();
        if (stale()) return;
        this.#supersede();
        this.#parts.report({ kind: 'ended', reason });
      },
    };
  }
}
