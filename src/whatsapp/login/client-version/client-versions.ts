/** The revision every connection announces: the newest of the bundled, stored and published one, unless pinned. A refusal rereads the pages. */
import {
  ageDaysOf,
  type CheckOutcome,
  type ClientVersionStatus,
  describeRevision,
  type Expiration,
  type KnownRevision,
  type NetworkKind,
  type RevisionCheck,
  type RevisionStore,
  versionText,
  warnFromDays,
} from '../../../domain/client-version.ts';
import type { Clock, Timer } from '../../../domain/clock.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { bundledRevision } from './bundled.ts';
import { isRevision, realVersionUrl } from './pages.ts';

const adviceFor = ({ source }: KnownRevision): string =>
  source === 'pinned'
    ? 'set HANDSET_CLIENT_VERSION to a newer one, or unset it'
    : `update Handset, let it reach ${realVersionUrl}, or set HANDSET_CLIENT_VERSION`;

const ageWarning = (known: KnownRevision, now: number): string | null => {
  const days = ageDaysOf(known, now);
  if (days === null || days < warnFromDays) return null;
  return (
    `Client version ${describeRevision(known, now)} is about to be too old: the network stops linking and then connecting ` +
    `old ones, 80 to 150 days after they were published. To mend it, ${adviceFor(known)}`
  );
};

const expirationWarning = (known: KnownRevision, expiresAt: number, now: number): string =>
  `The network refuses client version ${describeRevision(known, now)} from ${new Date(expiresAt).toISOString().slice(0, 10)} on: ${adviceFor(known)}`;

const refusalWords = (known: KnownRevision, checked: string | null, now: number): string => {
  const found = checked === null ? 'no newer one is known' : `no newer one could be found (${checked})`;
  return `the network refuses client version ${describeRevision(known, now)}, and ${known.source === 'pinned' ? 'it is pinned' : found}: ${adviceFor(known)}`;
};

const renewedWords = (known: KnownRevision, now: number): string =>
  `the network refused the client version, and the service goes on with ${describeRevision(known, now)}`;

/** Why a pairing with revision `used` may have failed; null if the revision is no reason. */
const pairingDoubt = (used: number, known: KnownRevision, now: number): string | null => {
  const described = describeRevision(known, now);
  if (used < known.revision) return `a newer client version is known by now, ${described}: a restart uses it`;
  return ageWarning(known, now) === null
    ? null
    : `client version ${described} may be too old to be linked: ${adviceFor(known)}`;
};

export interface ClientVersionsOptions {
  readonly pinned: number | null;
  readonly fetch: (() => Promise<number>) | null;
  readonly network: NetworkKind;
  readonly store: RevisionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Renewal {
  readonly renewed: boolean;
  readonly detail: string;
}

const checkEveryMs = 6 * 3_600_000;
const checkAgainMs = 30 * 60_000;
/** A result applies this long, as many devices are refused at once. */
const refusalHoldsMs = 30_000;
/** How long a refused connection waits for another revision: two pages have 6 s each. */
const renewalMs = 13_000;

/** A pinned revision is dated like the bundled one, if that is not older; otherwise its date is unknown. */
const initial = (pinned: number | null): KnownRevision =>
  pinned === null
    ? bundledRevision
    : { revision: pinned, source: 'pinned', since: pinned <= bundledRevision.revision ? bundledRevision.since : null };

export class ClientVersions {
  readonly #options: ClientVersionsOptions;
  #known: KnownRevision;
  #expiration: Expiration | null = null;
  #lastCheck: RevisionCheck | null = null;
  readonly #checks: Record<CheckOutcome, number> = { newer: 0, same: 0, older: 0, failed: 0 };
  #refusals = 0;
  #refused: number | null = null;
  #checking: Promise<void> | null = null;
  #urgentAt = -Infinity;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: ClientVersionsOptions) {
    this.#options = options;
    this.#known = initial(options.pinned);
  }

  get current(): KnownRevision {
    return this.#known;
  }

  /** Loads the stored revision; the pages are read in the background. */
  async start(): Promise<void> {
    const { pinned, fetch, log, clock, store, network } = this.#options;
    if (pinned === null) await this.#loadStored();
    this.#expiration = await this.#stored(() => store.loadExpiration(network));
    log.info({ clientVersion: describeRevision(this.#known, clock.now()) }, 'client version');
    // With pages to read, a warning waits for the result.
    if (pinned !== null || fetch === null) return this.#warn();
    void this.#keepFresh();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#checking;
  }

  status(): ClientVersionStatus {
    const { revision, source } = this.#known;
    return {
      version: versionText(revision),
      revision,
      source,
      ageDays: ageDaysOf(this.#known, this.#options.clock.now()),
      expiresAt: this.#expiresAt(),
      warning: this.#refused === revision ? this.#refusalWords() : this.#warning(),
      lastCheck: this.#lastCheck,
      checks: { ...this.#checks },
      refusals: this.#refusals,
    };
  }

  accepted(used: number): void {
    if (this.#refused !== null && used >= this.#refused) this.#refused = null;
  }

  async refused(used: number): Promise<Renewal> {
    const { pinned, clock, log } = this.#options;
    this.#refusals += 1;
    if (used === this.#known.revision) this.#refused = used;
    if (pinned === null && used === this.#known.revision) await this.#renew();
    const renewed = this.#known.revision !== used;
    if (renewed && this.#refused === used) this.#refused = null;
    const detail = renewed ? renewedWords(this.#known, clock.now()) : this.#refusalWords();
    log.warn({ refused: versionText(used), renewed }, detail);
    return { renewed, detail };
  }

  /** A pairing under `used` has expired: returns a possible reason, or null, and checks the pages in the background. */
  doubt(used: number): string | null {
    void this.#checkNow();
    return pairingDoubt(used, this.#known, this.#options.clock.now());
  }

  /** The network will refuse `used` from `at` (ms) on; null: withdrawn. The earliest date applies, as each device is told its own. */
  async expires(used: number, at: number | null): Promise<void> {
    const { store, network, log } = this.#options;
    const held = this.#expiration?.revision === used ? this.#expiration.at : null;
    if (used !== this.#known.revision || held === at || (held !== null && at !== null && held < at)) return;
    this.#expiration = at === null ? null : { revision: used, at };
    log.info(
      { clientVersion: versionText(used) },
      'the network told when it refuses the client version, or took that back',
    );
    this.#warn();
    await this.#stored(() => store.keepExpiration(network, this.#expiration));
    if (at !== null) await this.#checkNow();
  }

  #expiresAt(): number | null {
    return this.#expiration?.revision === this.#known.revision ? this.#expiration.at : null;
  }

  #warning(): string | null {
    const now = this.#options.clock.now();
    const expiresAt = this.#expiresAt();
    return expiresAt === null ? ageWarning(this.#known, now) : expirationWarning(this.#known, expiresAt, now);
  }

  #refusalWords(): string {
    return refusalWords(this.#known, this.#lastCheck?.detail ?? null, this.#options.clock.now());
  }

  /** Devices refused at about the same time share one check. */
  async #renew(): Promise<void> {
    const waited = Promise.withResolvers<void>();
    const timer = this.#options.clock.after(renewalMs, waited.resolve);
    await Promise.race([this.#checkNow(), waited.promise]);
    timer.cancel();
  }

  async #checkNow(): Promise<void> {
    const { clock, pinned } = this.#options;
    if (pinned !== null) return;
    if (clock.now() - this.#urgentAt < refusalHoldsMs) return this.#checking ?? undefined;
    this.#urgentAt = clock.now();
    await this.#check();
  }

  async #keepFresh(): Promise<void> {
    await this.#check();
    if (this.#stopped) return;
    const pause = this.#lastCheck?.outcome === 'failed' ? checkAgainMs : checkEveryMs;
    this.#timer = this.#options.clock.after(pause, () => void this.#keepFresh());
  }

  #check(): Promise<void> {
    if (this.#stopped || this.#options.fetch === null) return this.#loadStored();
    this.#checking ??= this.#look(this.#options.fetch).finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #look(fetch: () => Promise<number>): Promise<void> {
    const told = await fetch().catch((error: unknown) => new Error(messageOf(error)));
    if (this.#stopped) return;
    if (told instanceof Error) {
      this.#note('failed', told.message);
      // Another node may have reached the pages.
      await this.#loadStored();
    } else await this.#take(told);
    this.#warn();
  }

  async #take(revision: number): Promise<void> {
    const { clock, log, store, network } = this.#options;
    const { revision: before, since } = this.#known;
    if (revision < before) {
      this.#note('older', `the page tells an older client version, ${versionText(revision)}`);
      // Unless the network refuses the newer one: then its page is right.
      if (this.#refused !== before || revision < bundledRevision.revision) return;
    } else this.#note(revision > before ? 'newer' : 'same', null);
    if (revision !== before) log.info({ from: versionText(before), to: versionText(revision) }, 'other client version');
    const firstSeenAt = revision === before ? Math.min(since ?? Infinity, clock.now()) : clock.now();
    this.#known = { revision, source: 'fetched', since: firstSeenAt };
    await this.#stored(() => store.keep(network, { revision, firstSeenAt }));
  }

  #note(outcome: CheckOutcome, detail: string | null): void {
    const { clock, log } = this.#options;
    this.#lastCheck = { at: clock.now(), outcome, detail };
    this.#checks[outcome] += 1;
    if (detail !== null) log.warn({ outcome, reason: detail }, "the network's pages gave no newer client version");
  }

  async #loadStored(): Promise<void> {
    const { store, network } = this.#options;
    const stored = await this.#stored(() => store.load(network));
    if (!stored || !isRevision(stored.revision) || stored.revision <= this.#known.revision) return;
    this.#known = { revision: stored.revision, source: 'stored', since: stored.firstSeenAt };
  }

  async #stored<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#options.log.warn({ reason: messageOf(error) }, 'the store failed to keep or give the client version');
      return null;
    }
  }

  #warn(): void {
    const warning = this.#warning();
    if (warning !== null) this.#options.log.warn({ clientVersion: versionText(this.#known.revision) }, warning);
  }
}
