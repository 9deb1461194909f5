/** The announced revision of the network's web client: its source, and when it becomes too old. */

/** The network a revision is for; they are independent. */
export type NetworkKind = 'whatsapp' | 'sandbox';

/**
 * `bundled`: part of this release. `stored`: last good one from the store. `fetched`: from the network's page in this run. `pinned`: set
 * by the operator.
 */
export type RevisionSource = 'bundled' | 'stored' | 'fetched' | 'pinned';

export interface KnownRevision {
  readonly revision: number;
  readonly source: RevisionSource;
  /** When it was published, or first seen (ms); null: unknown. */
  readonly since: number | null;
}

/** The last good revision, as stored. */
export interface StoredRevision {
  readonly revision: number;
  readonly firstSeenAt: number;
}

/** The date from which the network refuses a revision. */
export interface Expiration {
  readonly revision: number;
  /** ms */
  readonly at: number;
}

/** Port to the last good revision, shared by all nodes. */
export interface RevisionStore {
  load(network: NetworkKind): Promise<StoredRevision | null>;
  /** Stores it unless a newer one is stored. */
  keep(network: NetworkKind, revision: StoredRevision): Promise<void>;
  loadExpiration(network: NetworkKind): Promise<Expiration | null>;
  /** Null: the network has withdrawn it. */
  keepExpiration(network: NetworkKind, expiration: Expiration | null): Promise<void>;
}

/**
 * Results of reading the network's page. `older`: an older revision than the known one, which is ignored. `failed`: no page, or none with
 * a revision.
 */
export const checkOutcomes = ['newer', 'same', 'older', 'failed'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

export interface RevisionCheck {
  /** End of the check, ms. */
  readonly at: number;
  readonly outcome: CheckOutcome;
  /** Error message, or null. */
  readonly detail: string | null;
}

export interface ClientVersionStatus {
  /** `2.3000.<revision>` */
  readonly version: string;
  readonly revision: number;
  readonly source: RevisionSource;
  /** Whole days since it was published or first seen; null: unknown. */
  readonly ageDays: number | null;
  /** When the network starts to refuse it, ms; null: no date announced. */
  readonly expiresAt: number | null;
  /** Advice for the operator, or null. */
  readonly warning: string | null;
  /** The latest check in this run, or null. */
  readonly lastCheck: RevisionCheck | null;
  /** Number of checks by result, since the start. */
  readonly checks: Readonly<Record<CheckOutcome, number>>;
  /** Number of refusals (405, 409) by the network since the start. */
  readonly refusals: number;
}

/**
 * The network refuses a revision 80 to 153 days after publication (whatsmeow #1031, #1040, #1164, WAHA #2193, wuzapi #368: 2025-12 to
 * 2026-09), and stops linking it some time before (Baileys #2679, 2026-07-01).
 */
export const warnFromDays = 60;

const dayMs = 86_400_000;

export const ageDaysOf = ({ since }: Pick<KnownRevision, 'since'>, now: number): number | null =>
  since === null ? null : Math.max(0, Math.floor((now - since) / dayMs));

export const versionText = (revision: number): string => `2.3000.${revision}`;

/** For example `2.3000.1043857760 (bundled, 120 days old)`. */
export const describeRevision = (known: KnownRevision, now: number): string => {
  const days = ageDaysOf(known, now);
  const age = days === null ? '' : `, ${days} ${days === 1 ? 'day' : 'days'} old`;
  return `${versionText(known.revision)} (${known.source}${age})`;
};
