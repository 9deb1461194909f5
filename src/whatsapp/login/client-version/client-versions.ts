/** The revision that every connection says it is: chosen at start, kept up to date in the background, renewed when the network refuses it. */
import {
  ageDaysOf,
  type CheckOutcome,
  type ClientVersionStatus,
  describeRevision,
  type KnownRevision,
  type NetworkKind,
  type RevisionCheck,
  type RevisionStore,
  versionText,
} from '../../../domain/client-version.ts';
import type { Clock, Timer } from '../../../domain/clock.ts';
import { messageOf } from '../../../errors.ts';
import type { Logger } from '../../../log.ts';
import { bundledRevision } from './bundled.ts';
import { newerOf, pinnedRevision } from './choice.ts';
import { isRevision } from './page.ts';
import { ageWarning, pairingDoubt, refusalWords, renewedWords } from './words.ts';

export interface ClientVersionsOptions {
  /** HANDSET_CLIENT_VERSION; null: the newest one that is known. */
  readonly pinned: number | null;
  /** Reads the network's page; throws an Error in plain words. Null where there is none. */
  readonly fetch: (() => Promise<number>) | null;
  readonly network: NetworkKind;
  readonly store: RevisionStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Outcome of the look-up that follows a refused revision. */
export interface Renewal {
  /** Another revision is known now. */
  readonly renewed: boolean;
  readonly detail: string;
}

const pageEveryMs = 6 * 3_600_000;
const pageAgainMs = 30 * 60_000;
/** After a look at the page that a refusal has caused, its answer holds this long: many devices are refused at once. */
const refusalHoldsMs = 30_000;
/** A refused connection waits this long for a newer revision: the page has 10 s, and the store takes no time unless it is away. */
const renewalMs = 12_000;

export class ClientVersions {
  readonly #options: ClientVersionsOptions;
  #known: KnownRevision;
  #lastCheck: RevisionCheck | null = null;
  readonly #checks: Record<CheckOutcome, number> = { newer: 0, same: 0, older: 0, failed: 0 };
  #refusals = 0;
  /** The network has refused it, and has not opened a session with it since. */
  #refused: number | null = null;
  /** A refused one that the page replaced by an older one: its stored copy is ignored. */
  #takenBack: number | null = null;
  #checking: Promise<void> | null = null;
  #refusalCheckedAt = -Infinity;
  #timer: Timer | null = null;
  #stopped = false;

  constructor(options: ClientVersionsOptions) {
    const { pinned } = options;
    this.#options = options;
    this.#known = pinned === null ? bundledRevision : pinnedRevision(pinned, bundledRevision);
  }

  get current(): KnownRevision {
    return this.#known;
  }

  /** Takes up what the store has; the page is read in the background. */
  async start(): Promise<void> {
    const { pinned, fetch, log, clock } = this.#options;
    if (pinned === null) await this.#loadStored();
    log.info({ clientVersion: describeRevision(this.#known, clock.now()) }, 'client version');
    // If the page is about to be read, a warning about the age comes after that: the revision may be renewed.
    if (pinned !== null || fetch === null) return this.#warn();
    void this.#keepFresh();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#checking;
  }

  status(): ClientVersionStatus {
    const now = this.#options.clock.now();
    const { revision, source } = this.#known;
    const isRefused = this.#refused === revision;
    return {
      version: versionText(revision),
      revision,
      source,
      ageDays: ageDaysOf(this.#known, now),
      warning: isRefused ? this.#refusalWords() : ageWarning(this.#known, now),
      lastCheck: this.#lastCheck,
      checks: { ...this.#checks },
      refusals: this.#refusals,
    };
  }

  /** A session opened under this revision. */
  accepted(used: number): void {
    if (this.#refused !== null && used >= this.#refused) this.#refused = null;
  }

  /** The network has refused a connection under `used`. Never rejects, and takes some seconds at most. */
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

  /** A pairing under `used` has expired: why that may be, or null. Also a reason to look at the page, in the background. */
  doubt(used: number): string | null {
    if (this.#options.pinned === null && this.#isRefusalCheckDue()) void this.#checkForRefusal();
    return pairingDoubt(used, this.#known, this.#options.clock.now());
  }

  #refusalWords(): string {
    return refusalWords(this.#known, this.#lastCheck?.detail ?? null, this.#options.clock.now());
  }

  #isRefusalCheckDue(): boolean {
    return this.#options.clock.now() - this.#refusalCheckedAt >= refusalHoldsMs;
  }

  async #checkForRefusal(): Promise<void> {
    this.#refusalCheckedAt = this.#options.clock.now();
    await this.#check();
  }

  /** All that are refused at about the same time wait for one look at the page. */
  async #renew(): Promise<void> {
    const { clock } = this.#options;
    const check = this.#isRefusalCheckDue() ? this.#checkForRefusal() : (this.#checking ?? Promise.resolve());
    const waited = Promise.withResolvers<void>();
    const timer = clock.after(renewalMs, waited.resolve);
    await Promise.race([check, waited.promise]);
    timer.cancel();
  }

  async #keepFresh(): Promise<void> {
    if (this.#options.fetch === null) return;
    await this.#check();
    if (this.#stopped) return;
    const pause = this.#lastCheck?.outcome === 'failed' ? pageAgainMs : pageEveryMs;
    this.#timer = this.#options.clock.after(pause, () => void this.#keepFresh());
  }

  /** One at a time: who asks while one is under way gets its result. */
  #check(): Promise<void> {
    if (this.#stopped || this.#options.fetch === null) return this.#loadStored();
    this.#checking ??= this.#look(this.#options.fetch).finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #look(fetch: () => Promise<number>): Promise<void> {
    // Another node may have read the page where this one cannot.
    const [told] = await Promise.all([
      fetch().catch((error: unknown) => new Error(messageOf(error))),
      this.#loadStored(),
    ]);
    if (this.#stopped) return;
    if (told instanceof Error) this.#note('failed', told.message);
    else await this.#take(told);
    this.#warn();
  }

  async #take(revision: number): Promise<void> {
    const { clock, log, store, network } = this.#options;
    const before = this.#known;
    if (revision < before.revision) return this.#takeOlder(revision);
    if (revision >= (this.#takenBack ?? 0)) this.#takenBack = null;
    this.#known = newerOf(before, { revision, source: 'fetched', since: clock.now() });
    const isNewer = revision > before.revision;
    if (isNewer) log.info({ from: versionText(before.revision), to: versionText(revision) }, 'newer client version');
    this.#note(isNewer ? 'newer' : 'same', null);
    try {
      await store.keep(network, { revision, firstSeenAt: this.#known.since ?? clock.now() });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'failed to store the client version');
    }
  }

  /** Ignored, unless the network refuses the newer one: then its page is right. */
  #takeOlder(revision: number): void {
    const { revision: newer } = this.#known;
    this.#note('older', `the page tells an older client version, ${versionText(revision)}`);
    if (this.#refused !== newer || revision < bundledRevision.revision) return;
    this.#takenBack = newer;
    this.#known = { revision, source: 'fetched', since: this.#options.clock.now() };
  }

  #note(outcome: CheckOutcome, detail: string | null): void {
    const { clock, log } = this.#options;
    this.#lastCheck = { at: clock.now(), outcome, detail };
    this.#checks[outcome] += 1;
    if (detail !== null) log.warn({ outcome, reason: detail }, "the network's page gave no newer client version");
  }

  async #loadStored(): Promise<void> {
    const { store, network, log } = this.#options;
    try {
      const stored = await store.load(network);
      if (stored === null || !isRevision(stored.revision) || stored.revision < this.#known.revision) return;
      if (stored.revision === this.#takenBack) return;
      const isNews = stored.revision > this.#known.revision;
      // A revision that this run read from the page keeps its source, although it is stored as well.
      const source = isNews ? 'stored' : this.#known.source;
      this.#known = newerOf(this.#known, { revision: stored.revision, source, since: stored.firstSeenAt });
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'failed to read the stored client version');
    }
  }

  #warn(): void {
    const { clock, log } = this.#options;
    const warning = ageWarning(this.#known, clock.now());
    if (warning !== null) log.warn({ clientVersion: versionText(this.#known.revision) }, warning);
  }
}
