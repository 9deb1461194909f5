/** One device while the service runs: its life, its connection, its timers, and who waits for a change. */
import type { Clock } from '../domain/clock.ts';
import type { DeviceRecord } from '../domain/device.ts';
import type { Network, Session } from '../domain/network.ts';
import type { QrRenderer } from '../domain/outbound.ts';
import { type Effect, type Happening, type Life, lifeOf } from '../domain/session-life.ts';
import { transition } from '../domain/session-transition.ts';
import type { Stores } from '../domain/stores.ts';
import { deviceNotFound, messageOf } from '../errors.ts';
import type { Logger } from '../log.ts';
import { backoffMs } from './backoff.ts';
import { Connection } from './connection.ts';
import { Ledger } from './ledger.ts';
import { pairingAnnouncement } from './pairing-announcement.ts';
import { QrImage } from './qr-image.ts';
import { Serial } from './serial.ts';
import { SessionTimers } from './session-timers.ts';
import type { Slots } from './slots.ts';
import { Watchers } from './watchers.ts';

export interface RuntimeParts {
  readonly stores: Pick<Stores, 'devices' | 'credentials'>;
  readonly network: Network;
  readonly qr: QrRenderer;
  readonly slots: Slots;
  readonly clock: Clock;
  readonly log: Logger;
  /** From 0 to 1: spreads the attempts to reconnect. */
  readonly random: () => number;
}

export class DeviceRuntime {
  readonly id: number;
  /** The user's operations on the device, one after the other. */
  readonly operations = new Serial();
  readonly connection: Connection;
  readonly ledger: Ledger;
  readonly image: QrImage;
  /** Digits to ask a pairing code for, while the device is not linked. */
  pairingNumber: string | null = null;
  readonly #parts: RuntimeParts;
  readonly #watchers: Watchers;
  readonly #timers: SessionTimers;
  #life: Life;
  #disposed = false;

  constructor(record: DeviceRecord, parts: RuntimeParts) {
    const { network, slots, clock, log } = parts;
    this.id = record.id;
    this.#parts = parts;
    this.#life = lifeOf(record, clock.now());
    this.ledger = new Ledger(record.id, clock, log);
    this.image = new QrImage(parts.qr);
    this.#watchers = new Watchers(clock);
    this.#timers = new SessionTimers(clock, (kind) => this.happen({ kind }));
    this.connection = new Connection({
      deviceId: record.id,
      network,
      slots,
      clock,
      log,
      prepare: () => this.#prepare(),
      report: (happening) => this.happen(happening),
    });
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  get life(): Life {
    return this.#life;
  }

  /** The session, while it is open. */
  get session(): Session | null {
    return this.#life.session.kind === 'open' ? this.connection.session : null;
  }

  /** `urgent`: a user waits for what comes of it. */
  happen(happening: Happening, urgent = false): void {
    if (this.#disposed) return;
    const before = this.#life.session.kind;
    const { life, effects } = transition(this.#life, happening, this.#parts.clock.now());
    this.#life = life;
    for (const effect of effects) this.#perform(effect, urgent);
    if (life.session.kind !== before) {
      this.#parts.log.info({ deviceId: this.id, from: before, to: life.session.kind, by: happening.kind }, 'session');
    }
    this.#watchers.look();
  }

  /** Waits until `pick` gives a value or throws; null when the time is over or the signal aborts. */
  waitFor<T>(pick: (life: Life) => T | undefined, ms: number, signal?: AbortSignal): Promise<T | null> {
    if (this.#disposed) return Promise.reject(deviceNotFound());
    return this.#watchers.wait(() => pick(this.#life), ms, signal);
  }

  /** The end of this device in this process: nothing of it connects or writes afterwards. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#timers.calm();
    this.ledger.seal();
    this.#watchers.fail(deviceNotFound());
    await Promise.all([this.connection.end(), this.ledger.settled()]);
  }

  #perform(effect: Effect, urgent: boolean): void {
    const { clock, random, log, stores } = this.#parts;
    const { credentials } = stores;
    switch (effect.kind) {
      case 'calm':
        return this.#timers.calm();
      case 'record': {
        const { changes, forget } = effect;
        if (!forget) return void this.ledger.write(() => credentials.commit(this.id, changes));
        // Nothing of the old session may be written after its credentials are gone.
        const closed = this.connection.end();
        return void this.ledger.write(() => closed.then(() => credentials.clearCredentials(this.id, changes)));
      }
      case 'announce': {
        const at = clock.now();
        const drawn = this.image.of(effect.offer.qrText).catch((error: unknown) => {
          log.error({ deviceId: this.id, reason: messageOf(error) }, 'the QR could not be drawn');
          return null;
        });
        return void this.ledger.write(async () =>
          credentials.commit(this.id, pairingAnnouncement(effect.offer, await drawn, at)),
        );
      }
      case 'connect':
        return this.connection.begin(() => (this.#life.account === null ? this.pairingNumber : null), urgent);
      case 'close':
        return void this.connection.end();
      case 'grace':
        return this.#timers.set('grace_over', effect.ms);
      case 'retry':
        return this.#timers.set('retry_due', backoffMs(effect.attempt, random(), effect.pace));
    }
  }

  /** Asks the store before each connect: the device may be gone, stopped, or linked in the meantime. */
  async #prepare(): Promise<boolean> {
    const { devices } = this.#parts.stores;
    await this.ledger.settled();
    const record = await devices.find(this.id);
    if (record === null) {
      void this.dispose();
      return false;
    }
    if (record.subscriptionStatus === 'inactive') this.happen({ kind: 'deactivate' });
    // The phone was faster than the restart.
    else if (this.#life.account === null && record.account !== null) {
      this.happen({ kind: 'linked', account: record.account });
    }
    return record.subscriptionStatus === 'active';
  }
}
