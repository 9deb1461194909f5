/** One device while the service runs: its session, connection, timers and waiters. */
import { Mutex } from 'async-mutex';
import type { Clock } from '../../domain/clock.ts';
import type { DeviceRecord, DeviceSettings } from '../../domain/device.ts';
import { LeaseLost, type SessionMemo } from '../../domain/lease.ts';
import type { Network, NetworkSession } from '../../domain/network.ts';
import type { QrRenderer } from '../../domain/outbound.ts';
import { type Effect, type SessionEvent, type Session, sessionOf } from '../../domain/sessions/session.ts';
import { transition } from '../../domain/sessions/transition.ts';
import type { Stores } from '../../domain/stores.ts';
import { deviceNotFound, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { backoffMs, waitForMs, SessionTimers } from './timers.ts';
import { Connection, type PairingRequest } from './connection.ts';
import { WriteQueue } from './write-queue.ts';
import { pairingAnnouncement, passkeyAnnouncement, QrImage } from './pairing-offer.ts';
import type { ConnectSlots } from './slots.ts';
import { Watchers } from './watchers.ts';

export interface RuntimeParts {
  readonly stores: Pick<Stores, 'devices' | 'changes'>;
  readonly network: Network;
  readonly qr: QrRenderer;
  readonly slots: ConnectSlots;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly holder: LeaseHolder | null;
}

export interface LeaseHolder {
  /** Throws LeaseLost if this node does not hold the device. */
  epochOf(deviceId: number): number;
  holds(deviceId: number, epoch: number): Promise<boolean>;
  /** Publishes the session to the other nodes. Throws LeaseLost. */
  note(deviceId: number, epoch: number, memo: SessionMemo): Promise<void>;
  lost(deviceId: number, epoch: number): void;
}

/** How long after a move the former owner may still disturb the device. */
const inheritanceMs = 30_000;

export class DeviceRuntime {
  readonly id: number;
  readonly userId: number;
  readonly epoch: number | null;
  readonly operations = new Mutex();
  readonly connection: Connection;
  readonly writes: WriteQueue;
  readonly image: QrImage;
  settings: DeviceSettings;
  pairingNumber: string | null = null;
  codeAskedAt = 0;
  usedAt: number;
  readonly #parts: RuntimeParts;
  readonly #watchers: Watchers;
  readonly #timers: SessionTimers;
  #session: Session;
  #end: Error | null = null;
  #working = 0;
  /** The record read with the lease: nobody else changes it before the first connect. */
  #fresh: DeviceRecord | null;
  readonly #since: number;
  #replaced = false;

  constructor(record: DeviceRecord, parts: RuntimeParts, session?: Session) {
    const { network, slots, clock, log } = parts;
    this.id = record.id;
    this.userId = record.userId;
    this.#parts = parts;
    this.settings = record.settings;
    this.usedAt = clock.now();
    this.#since = this.usedAt;
    this.epoch = parts.holder?.epochOf(record.id) ?? null;
    this.#fresh = parts.holder === null ? null : record;
    this.#session = session ?? sessionOf(record, clock.now());
    this.writes = new WriteQueue(record.id, clock, log, parts.holder !== null);
    this.image = new QrImage(parts.qr);
    this.#watchers = new Watchers(clock);
    this.#timers = new SessionTimers(clock, (kind) => this.handle({ kind }));
    this.connection = new Connection({
      deviceId: record.id,
      userId: record.userId,
      epoch: this.epoch,
      network,
      slots,
      clock,
      log,
      prepare: () => this.#prepare(),
      report: (event) => this.#hear(event),
    });
  }

  get disposed(): boolean {
    return this.#end !== null;
  }

  get session(): Session {
    return this.#session;
  }

  get networkSession(): NetworkSession | null {
    return this.#session.state.kind === 'open' ? this.connection.session : null;
  }

  /** `urgent`: a user waits for the outcome. */
  handle(event: SessionEvent, urgent = false): void {
    if (this.disposed) return;
    const before = this.#session.state.kind;
    const former = this.#session;
    const { session, effects } = transition(former, event, this.#parts.clock.now());
    this.#session = session;
    for (const effect of effects) this.#perform(effect, urgent);
    if (session !== former) this.#tell();
    if (session.state.kind !== before) {
      this.#parts.log.info({ deviceId: this.id, from: before, to: session.state.kind, by: event.kind }, 'session');
    }
    this.#watchers.look();
  }

  /** Waits until `pick` gives a value or throws; null on timeout or abort. */
  waitFor<T>(pick: (session: Session) => T | undefined, ms: number, signal?: AbortSignal): Promise<T | null> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return this.#watchers.wait(() => pick(this.#session), ms, signal);
  }

  async dispose(why: Error = deviceNotFound()): Promise<void> {
    this.#end ??= why;
    // Another node may own it by now: no closing handshake.
    if (why instanceof LeaseLost) this.connection.cut();
    this.#timers.cancelAll();
    this.writes.seal();
    this.#watchers.fail(why);
    await Promise.all([this.connection.end(), this.writes.settled]);
  }

  applySettings(settings: DeviceSettings): void {
    this.settings = settings;
    this.connection.session?.applySettings(settings);
  }

  get working(): boolean {
    return this.#working > 0;
  }

  async work<T>(run: () => Promise<T>): Promise<T> {
    this.#working += 1;
    this.usedAt = this.#parts.clock.now();
    try {
      return await run();
    } finally {
      this.#working -= 1;
    }
  }

  /** The device moves to another node: no end is reported, and waiters ask there. */
  async handOver(): Promise<void> {
    this.#timers.cancelAll();
    this.#watchers.fail(new LeaseLost(this.id));
    await Promise.all([this.connection.end(), this.writes.settled]);
    await this.dispose(new LeaseLost(this.id));
  }

  #tell(): void {
    const { holder, clock } = this.#parts;
    const { epoch } = this;
    if (holder === null || epoch === null) return;
    const memo = { session: this.#session, pairingNumber: this.pairingNumber, at: clock.now() };
    this.#write(() => holder.note(this.id, epoch, memo));
  }

  #write(run: () => Promise<unknown>): void {
    const { holder } = this.#parts;
    void this.writes.write(async () => {
      try {
        await run();
      } catch (error) {
        if (!(error instanceof LeaseLost) || holder === null || this.epoch === null) throw error;
        holder.lost(this.id, this.epoch);
      }
    });
  }

  /** Ignores being replaced by another node of this installation. */
  #hear(event: SessionEvent): void {
    const { holder } = this.#parts;
    const { epoch } = this;
    const isReplaced = event.kind === 'ended' && event.reason.kind === 'replaced';
    if (!isReplaced || holder === null || epoch === null) return this.handle(event);
    // Probably a login of the former owner that was under way. A second time it is another client.
    const again = { kind: 'ended', reason: { kind: 'lost', detail: 'the connection was replaced' } } as const;
    const isLate = !this.#replaced && this.#parts.clock.now() - this.#since < inheritanceMs;
    this.#replaced = true;
    holder.holds(this.id, epoch).then(
      (held) => (held ? this.handle(isLate ? again : event) : holder.lost(this.id, epoch)),
      () => this.handle(again),
    );
  }

  #perform(effect: Effect, urgent: boolean): void {
    const { clock, random, log, stores } = this.#parts;
    switch (effect.kind) {
      case 'disarm':
        return this.#timers.cancelAll();
      case 'record': {
        const { changes, forget } = effect;
        if (!forget) return this.#write(() => stores.changes.commit(this.id, changes, this.epoch));
        // The old session must not write after its credentials are gone.
        const closed = this.connection.end();
        return this.#write(() => closed.then(() => stores.changes.clearCredentials(this.id, changes, this.epoch)));
      }
      case 'announce': {
        const at = clock.now();
        const drawn = this.image.of(effect.offer.qrText).catch((error: unknown) => {
          log.error({ deviceId: this.id, reason: messageOf(error) }, 'could not draw the QR');
          return null;
        });
        return this.#write(async () =>
          stores.changes.commit(this.id, pairingAnnouncement(effect.offer, await drawn, at), this.epoch),
        );
      }
      case 'announce_passkey': {
        const at = clock.now();
        return this.#write(() => stores.changes.commit(this.id, passkeyAnnouncement(effect.passkey, at), this.epoch));
      }
      case 'connect':
        return this.connection.begin(() => ({ ...this.#pairingRequest(), settings: this.settings }), urgent);
      case 'close':
        return void this.connection.end();
      case 'grace':
        return this.#timers.set('grace_over', effect.ms);
      case 'retry':
        return this.#timers.set('retry_due', backoffMs(effect.attempt, random(), effect.pace));
      case 'retry_at':
        return this.#timers.set('retry_due', waitForMs(effect.at, clock.now(), random()));
    }
  }

  #pairingRequest(): PairingRequest {
    const { account, code } = this.#session;
    if (account !== null) return { account, pairingNumber: null };
    const holds = code !== null && code.expiresAt > this.#parts.clock.now();
    return { pairingNumber: this.pairingNumber, ...(holds ? { formerCode: code.code } : {}) };
  }

  /** Reads the record before each connect: it may have been deleted, stopped or linked meanwhile. */
  async #prepare(): Promise<boolean> {
    const { holder, stores } = this.#parts;
    const { devices } = stores;
    await this.writes.settled;
    if (holder !== null && this.epoch !== null && !(await holder.holds(this.id, this.epoch))) {
      holder.lost(this.id, this.epoch);
      return false;
    }
    const record = this.#fresh ?? (await devices.find(this.id));
    this.#fresh = null;
    if (record === null) {
      void this.dispose();
      return false;
    }
    if (record.subscriptionStatus === 'inactive') this.handle({ kind: 'deactivate' });
    // The phone linked before the restart.
    else if (this.#session.account === null && record.account !== null) {
      this.handle({ kind: 'linked', account: record.account });
    }
    return record.subscriptionStatus === 'active';
  }
}
