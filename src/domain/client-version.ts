/** Which revision of the network's web client the service says it is, where that comes from, and when it becomes too old. */

/** The network that a revision is for: what one of them tells is nothing to the other. */
export type NetworkKind = 'whatsapp' | 'sandbox';

/**
 * `bundled`: of this release. `stored`: the last good one, from the store. `fetched`: told by the network's page in this run. `pinned`: set by
 * the operator.
 */
export type RevisionSource = 'bundled' | 'stored' | 'fetched' | 'pinned';

export interface KnownRevision {
  readonly revision: number;
  readonly source: RevisionSource;
  /** When it was published, or first seen (ms); null where nobody knows. */
  readonly since: number | null;
}

/** The last good revision, as the store keeps it. */
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

/** The port to the last good revision, which all nodes of an installation share. */
export interface RevisionStore {
  load(network: NetworkKind): Promise<StoredRevision | null>;
  /** Keeps it unless a newer one is there. */
  keep(network: NetworkKind, revision: StoredRevision): Promise<void>;
  loadExpiration(network: NetworkKind): Promise<Expiration | null>;
  /** Null: the network has taken it back. */
  keepExpiration(network: NetworkKind, expiration: Expiration | null): Promise<void>;
}

/**
 * Outcomes of a look at the network's page. `older`: a revision older than the one that is known, and ignored. `failed`: no page, or one without
 * a revision.
 */
export const checkOutcomes = ['newer', 'same', 'older', 'failed'] as const;
export type CheckOutcome = (typeof checkOutcomes)[number];

export interface RevisionCheck {
  /** When it ended, ms. */
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
  /** Whole days since it was published or first seen; null where nobody knows. */
  readonly ageDays: number | null;
  /** From when on the network refuses it, ms; null: the network has named no date. */
  readonly expiresAt: number | null;
  /** Advice for the operator, or null. */
  readonly warning: string | null;
  /** The last look at the network's page in this run, or null. */
  readonly lastCheck: RevisionCheck | null;
  /** How often each came of a look, since the start. */
  readonly checks: Readonly<Record<CheckOutcome, number>>;
  /** How often the network has refused the client (405, 409) since the start. */
  readonly refusals: number;
}

/**
 * The network refuses a revision 80 to 153 days after it was published (whatsmeow #1031, #1040, #1164, WAHA #2193, wuzapi #368: 2025-12 to
 * 2026-09), and stops linking it some time before (Baileys #2679, 2026-07-01).
 */
export const warnFromDays = 60;

const dayMs = 86_400_000;

export const ageDaysOf = ({ since }: Pick<KnownRevision, 'since'>, now: number): number | null =>
  since === null ? null : Math.max(0, Math.floor((now - since) / dayMs));

/** As the network's own clients write it. */
export const versionText = (revision: number): string => `2.3000.${revision}`;

/** For a sentence: `2.3000.1043857760 (bundled, 120 days old)`. */
export const describeRevision = (known: KnownRevision, now: number): string => {
  const days = ageDaysOf(known, now);
  const age = days === null ? '' : `, ${days} ${days === 1 ? 'day' : 'days'} old`;
  return `${versionText(known.revision)} (${known.source}${age})`;
};
